import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryFilter } from './memory-filter.ts'
import { MemorySnapshots, type Snapshot } from './memory-snapshots.ts'

const { signal } = new AbortController()

function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-memory-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const snapshots = new MemorySnapshots(folder, memoryFilter({ files: ['**'], never: ['no/**'] }))
  const taken = async () => {
    const snapshot = await snapshots.take(signal)
    expect(snapshot.is).toBe('taken')
    return snapshot as Extract<Snapshot, { is: 'taken' }>
  }
  return {
    folder,
    snapshots,
    taken,
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
  }
}

describe('what an agent keeps', () => {
  it('is taken with its permissions, without what does not travel, and without following links', async () => {
    const { folder, taken, write } = begin()
    mkdirSync(join(folder, 'no'))
    mkdirSync(join(folder, 'deep/er'), { recursive: true })
    write('no/x', 'x')
    writeFileSync(join(folder, 'deep/er/b'), 'bytes', { mode: 0o640 })
    write('empty', '')
    symlinkSync('/etc/hostname', join(folder, 'link'))
    symlinkSync('/etc', join(folder, 'links'))
    const { list, contents } = await taken()
    expect(list.files).toMatchObject([
      { path: 'deep/er/b', mode: '640', size: 5, parts: [expect.any(String)] },
      { path: 'empty', size: 0, parts: [] },
    ])
    expect([...contents.values()].map(String)).toEqual(['bytes'])
  })

  it('costs only what is new when a file has grown', async () => {
    const { folder, taken, write } = begin()
    write('session.jsonl', `${'x'.repeat(999)}\n`.repeat(1000))
    write('other', 'o')
    const first = await taken()
    expect(first.contents.size).toBe(9)
    expect((await taken()).contents.size).toBe(0)
    appendFileSync(join(folder, 'session.jsonl'), 'one more\n')
    const { list, contents } = await taken()
    const known = new Set(first.contents.keys())
    const fresh = [...contents].filter(([hash]) => !known.has(hash))
    expect(fresh).toHaveLength(1)
    expect(fresh[0]![1].length).toBeLessThanOrEqual(128 * 1024)
    expect(list.files[1]).toMatchObject({ path: 'session.jsonl', size: 1_000_009 })
  })

  it('is brought whole again after it was forgotten', async () => {
    const { snapshots, taken, write } = begin()
    write('a', 'a')
    await taken()
    snapshots.forget()
    expect((await taken()).contents.size).toBe(1)
  })

  it('is not copied while the agent writes to it: a database and its log would not fit together', async () => {
    const { folder, write } = begin()
    write('state.db', 'x')
    // Between the two looks at it, however fast they follow each other.
    const whileRead = (bytes: Buffer) => {
      appendFileSync(join(folder, 'state.db-wal'), 'x')
      return bytes
    }
    const snapshots = new MemorySnapshots(folder, memoryFilter({ files: ['**'], never: [] }), whileRead)
    expect(await snapshots.take(signal)).toEqual({ is: 'unsteady' })
  })

  it('does not travel if it is too much', async () => {
    const { folder, snapshots, write } = begin()
    write('large', '')
    truncateSync(join(folder, 'large'), 65 * 1024 * 1024)
    expect(await snapshots.take(signal)).toEqual({ is: 'too-large' })
    rmSync(join(folder, 'large'))
    for (let n = 0; n < 1000; n++) write(`${n}`, '')
    expect(await snapshots.take(signal)).toEqual({ is: 'too-large' })
  })
})
