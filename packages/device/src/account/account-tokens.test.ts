import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { FileTokens } from '@farhand/sync/file-tokens'
import { tokenShelfContract } from '@farhand/sync/token-shelf.contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AccountTokens } from './account-tokens.ts'
import { Keychain } from './keychain.ts'

async function stateFolder(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'farhand-account-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return root
}

/** A keychain in a process of its own that has all it keeps in a file. */
async function keychainIn(root: string): Promise<Keychain> {
  const program = path.join(root, 'keychain.cjs')
  await writeFile(
    program,
    `const fs = require('node:fs'), file = ${JSON.stringify(path.join(root, 'kept'))}
    const ask = JSON.parse(fs.readFileSync(0, 'utf8'))
    const all = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}
    if (ask.do === 'set') all[ask.name] = ask.token
    if (ask.do === 'delete') delete all[ask.name]
    fs.writeFileSync(file, JSON.stringify(all))
    console.log(JSON.stringify({ token: all[ask.name] ?? null }))`,
  )
  return new Keychain([process.execPath, program], 20_000)
}

/** As systems without anybody at the screen have it: it never answers. */
const locked = () => new Keychain([process.execPath, '-e', 'setInterval(() => {}, 1000)', '--'], 50)

describe('tokens in a keychain', () => {
  tokenShelfContract(async () => {
    const root = await stateFolder()
    const keychain = await keychainIn(root)
    const open = () => {
      const tokens = new AccountTokens(root, keychain)
      tokens.moveToKeychain()
      return tokens
    }
    return { open }
  })

  it('are in no file of ours, and nobody without the keychain takes that for no token', async () => {
    const root = await stateFolder()
    const keychain = await keychainIn(root)
    expect(keychain.works()).toBe(true)
    const tokens = new AccountTokens(root, keychain)
    tokens.keep('http://a', 'secret')
    tokens.moveToKeychain()
    const place = path.join(root, 'account')
    for (const name of await readdir(place))
      expect(await readFile(path.join(place, name), 'utf8')).not.toContain('secret')
    expect(new AccountTokens(root, keychain).of('http://a')).toBe('secret')
    expect(() => new FileTokens(root).of('http://a')).toThrow(/keychain/)
    // The same state folder elsewhere has other tokens there.
    expect(JSON.parse(await readFile(path.join(root, 'kept'), 'utf8'))).not.toHaveProperty('http://a')
  })
})

describe('a keychain that does not answer', () => {
  tokenShelfContract(async () => {
    const root = await stateFolder()
    return { open: () => new AccountTokens(root, null) }
  })

  it('is not waited for: tokens stay in files', async () => {
    const root = await stateFolder()
    const tokens = new AccountTokens(root, locked())
    tokens.keep('http://a', 'secret')
    tokens.moveToKeychain()
    expect(tokens.of('http://a')).toBe('secret')
    expect(tokens.note('http://a')).toEqual({ url: 'http://a', token: 'secret' })
    expect(locked().works()).toBe(false)
  })
})
