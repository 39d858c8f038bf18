import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FileTokens } from './file-tokens.ts'
import { tokenShelfContract } from './token-shelf.contract.ts'

async function stateFolder(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'farhand-tokens-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return root
}

describe('tokens in files', () => {
  tokenShelfContract(async () => {
    const root = await stateFolder()
    return { open: () => new FileTokens(root) }
  })

  it('can be read by nobody else', async () => {
    const root = await stateFolder()
    new FileTokens(root).keep('http://a', 'secret')
    const place = path.join(root, 'account')
    const modes = [place, ...(await readdir(place)).map((name) => path.join(place, name))].map(async (file) =>
      ((await stat(file)).mode & 0o777).toString(8),
    )
    expect(await Promise.all(modes)).toEqual(['700', '600'])
  })
})
