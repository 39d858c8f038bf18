import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HubTokens } from './hub-tokens.ts'
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

/** As on systems without a user at the screen: it never answers. */
const locked = () => new Keychain([process.execPath, '-e', 'setInterval(() => {}, 1000)', '--'], 50)

const places = {
  'in files': async () => {
    const root = await stateFolder()
    return { open: () => new HubTokens(root, locked()) }
  },
  'in a keychain': async () => {
    const root = await stateFolder()
    const kept = new Map<string, string>()
    const keychain = {
      get: (name: string) => kept.get(name) ?? null,
      set: (name: string, token: string) => kept.set(name, token).has(name),
      delete: (name: string) => void kept.delete(name),
    }
    const open = () => {
      const tokens = new HubTokens(root, keychain)
      tokens.moveToKeychain()
      return tokens
    }
    return { open }
  },
}

it('a token that comes while an older one is put into the keychain is not lost', async () => {
  const root = await stateFolder()
  const kept = new Map<string, string>()
  const keychain = {
    get: (name: string) => kept.get(name) ?? null,
    set: (name: string, token: string) => {
      // Another process signs in meanwhile.
      if (token === 'old') new HubTokens(root, locked()).keep('http://a', 'new', true)
      return kept.set(name, token).has(name)
    },
    delete: (name: string) => void kept.delete(name),
  }
  new HubTokens(root, keychain).keep('http://a', 'old')
  new HubTokens(root, keychain).moveToKeychain()
  expect(new HubTokens(root, keychain).of('http://a')).toBe('new')
})

describe.each(Object.entries(places))('tokens %s', (_, begin) => {
  it('of a bound device are there with its refresh token, and only signing in replaces them', async () => {
    const { open } = await begin()
    const bound = { device: 'dev_12345678', name: 'laptop', expiresAt: '2026-06-01T00:00:00.000Z' }
    open().keepBound('http://a', { token: 'one', refresh: 'r-one' }, bound)
    expect([open().of('http://a'), open().refreshOf('http://a'), open().boundAs('http://a')]).toEqual([
      ...['one', 'r-one'],
      bound,
    ])
    expect(open().signedIn()).toEqual(['http://a'])
    // A link that remembers the token from before a refresh.
    open().keep('http://a', 'zero')
    expect(open().refreshOf('http://a')).toBe('r-one')
    const next = { ...bound, expiresAt: '2026-09-01T00:00:00.000Z' }
    open().keepBound('http://a', { token: 'two', refresh: 'r-two' }, next)
    expect([open().of('http://a'), open().refreshOf('http://a')]).toEqual(['two', 'r-two'])
    open().keep('http://a', 'three', true)
    expect([open().of('http://a'), open().refreshOf('http://a'), open().boundAs('http://a')]).toEqual([
      ...['three', null, null],
    ])
  })

  it('are kept for each hub, the newest of each, also for those who come later', async () => {
    const { open } = await begin()
    expect(open().of('http://a')).toBeNull()
    open().keep('http://a', 'one')
    open().keep('http://b', 'two')
    expect(open().of('http://a')).toBe('one')
    open().keep('http://a', 'three')
    expect(open().of('http://a')).toBe('three')
    expect(open().of('http://b')).toBe('two')
    expect(open().urls()).toEqual(['http://a', 'http://b'])
  })

  it('know where the user has signed in, also if another token comes later', async () => {
    const { open } = await begin()
    open().keep('http://a', 'one')
    open().keep('http://b', 'two')
    expect(open().signedIn()).toEqual([])
    open().keep('http://b', 'two', true)
    open().keep('http://b', 'three')
    expect(open().signedIn()).toEqual(['http://b'])
  })

  it('are forgotten for one hub and no other, and it is said whether there was one', async () => {
    const { open } = await begin()
    open().keep('http://a', 'one')
    open().keep('http://b', 'two')
    expect(open().forget('http://a')).toBe(true)
    expect(open().forget('http://a')).toBe(false)
    expect(open().of('http://a')).toBeNull()
    expect(open().urls()).toEqual(['http://b'])
  })
})

it('tokens in files can be read by no other user', async () => {
  const root = await stateFolder()
  new HubTokens(root).keep('http://a', 'secret')
  const place = path.join(root, 'account')
  const files = [place, ...(await readdir(place)).map((name) => path.join(place, name))]
  const modes = files.map(async (file) => ((await stat(file)).mode & 0o777).toString(8))
  expect(await Promise.all(modes)).toEqual(['700', '600'])
})

it('tokens in a keychain are in no file of ours, and in one of this state folder alone', async () => {
  const root = await stateFolder()
  const keychain = await keychainIn(root)
  expect(keychain.works()).toBe(true)
  const tokens = new HubTokens(root, keychain)
  tokens.keep('http://a', 'secret')
  tokens.moveToKeychain()
  const place = path.join(root, 'account')
  const files = (await readdir(place, { withFileTypes: true })).filter((one) => one.isFile())
  expect(files).toHaveLength(1)
  for (const { name } of files) expect(await readFile(path.join(place, name), 'utf8')).not.toContain('secret')
  expect(new HubTokens(root, keychain).of('http://a')).toBe('secret')
  expect(JSON.parse(await readFile(path.join(root, 'kept'), 'utf8'))).not.toHaveProperty('http://a')
})

it('a keychain that does not answer is not waited for: tokens stay in files', async () => {
  const tokens = new HubTokens(await stateFolder(), locked())
  tokens.keep('http://a', 'secret')
  tokens.moveToKeychain()
  expect(tokens.of('http://a')).toBe('secret')
  expect(tokens.note('http://a')).toEqual({ url: 'http://a', token: 'secret' })
  expect(locked().works()).toBe(false)
})
