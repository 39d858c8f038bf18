import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CheckpointRepository } from './checkpoint-repository.ts'
import { writeCommits } from './fast-import.ts'
import { Git } from './git.ts'
import { writePack } from './write-pack.ts'

const git = new Git(process.env.PATH ?? '')
const { signal } = new AbortController()

async function newRepository() {
  const home = await mkdtemp(join(tmpdir(), 'farhand-pack-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return await CheckpointRepository.open(git, join(home, 'repository'), join(home, 'none'))
}

/** A pack of one commit with one file, and its index. */
async function packed(text: string) {
  const repository = await newRepository()
  const paths = [{ path: 'a', is: 'file', mode: '100644', content: { bytes: Buffer.from(text) } }] as const
  const [sha] = await writeCommits(repository, [{ parent: null, message: 'x\n', time: 0, paths }], signal)
  await repository.keep(1, [sha!])
  const { pack, index } = await repository.pack(join(repository.folder, 'made'), 1, { window: 0 })
  return { text, sha: sha!, pack: readFileSync(pack), index: readFileSync(index) }
}

async function put(pack: Uint8Array, index: Uint8Array | null) {
  const repository = await newRepository()
  await writePack(repository, (write) => write(pack), Promise.resolve(index), signal)
  return repository
}

describe('a pack that comes with its index', () => {
  it('is there as it is, and another index than its own is not taken', async () => {
    const [one, other] = [await packed('one'), await packed('other')]
    // So it is seen whether it was taken, or made again.
    const marked = Buffer.from(one.index)
    marked[marked.length - 1]! ^= 1
    const isTaken = async (index: Uint8Array) => {
      const folder = join((await put(one.pack, index)).folder, 'objects', 'pack')
      const name = readdirSync(folder).find((name) => name.endsWith('.idx'))!
      return readFileSync(join(folder, name)).equals(index)
    }
    expect([await isTaken(marked), await isTaken(other.index)]).toEqual([true, false])
    for (const index of [one.index, other.index, one.index.subarray(0, 100), null]) {
      const repository = await put(one.pack, index)
      expect(await repository.text(['show', `${one.sha}:a`])).toBe('one')
      await repository.run(['fsck', '--full', '--strict'])
      const names = readdirSync(join(repository.folder, 'objects', 'pack'))
      expect(names.filter((name) => name.startsWith('tmp'))).toEqual([])
    }
  })

  it('is not there if other bytes arrived', async () => {
    const { sha, pack, index } = await packed('one')
    const repository = await newRepository()
    const pass = async (write: (piece: Uint8Array) => Promise<unknown>) => {
      await write(pack)
      throw new Error('it was another')
    }
    await expect(writePack(repository, pass, Promise.resolve(index), signal)).rejects.toThrow('another')
    await expect(repository.run(['cat-file', '-e', sha])).rejects.toThrow()
  })
})
