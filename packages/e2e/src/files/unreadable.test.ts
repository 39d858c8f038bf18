import { chmodSync } from 'node:fs'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bothWays, foldersOnAHub } from './two-folders.ts'

const nobody = 65_534
const isRoot = process.getuid?.() === 0

// Nothing is unreadable to root. Before the hub starts: its files have to belong to the user nobody, too.
beforeAll(() => {
  if (isRoot) process.seteuid?.(nobody)
})
afterAll(() => {
  if (isRoot) process.seteuid?.(0)
})

const linked = foldersOnAHub()

describe.each(bothWays)('S13 what cannot be read on the $here', ({ here, there }) => {
  it('is reported and not deleted there, be it a file or a folder; readable again, it is synced', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'one', 'f/b.txt': 'one', 'f/g/c.txt': 'one', 'kept.txt': 'kept' })
    onTestFinished(() => chmodSync(folders[here].at('f'), 0o755))
    folders[here].replace('a.txt', 'two')
    chmodSync(folders[here].at('a.txt'), 0o000)
    chmodSync(folders[here].at('f'), 0o000)
    folders[here].write('after.txt', 'after')
    await folders.heard(
      folders[here],
      'skipped',
      ({ skip }) => skip.path === 'a.txt' && skip.why === 'unreadable',
    )
    await folders.heard(folders[there], 'applied', ({ path }) => path === 'after.txt')
    await folders[here].stop()
    await folders[here].start()
    folders[here].write('later.txt', 'later')
    await folders.heard(folders[there], 'applied', ({ path }) => path === 'later.txt')
    expect(['a.txt', 'f/b.txt', 'f/g/c.txt'].map((path) => folders[there].read(path).length)).toEqual([
      3, 3, 3,
    ])
    chmodSync(folders[here].at('a.txt'), 0o644)
    chmodSync(folders[here].at('f'), 0o755)
    await folders.settled()
    expect(folders[there].read('a.txt')).toBe('two')
  })
})
