import type { SyncNote } from '@farhand/sync/sync-notes'
import { describe, expect, it } from 'vitest'
import { FolderFull, hubFull } from './full-disks.ts'

const noRoom = (path: string) =>
  ({ is: 'trouble', path, why: 'the system says ENOSPC', code: 'ENOSPC' }) as SyncNote
const applied = (path: string) => ({ is: 'applied', path, deed: 'created', by: null }) as SyncNote

describe('a full disk', () => {
  it('S6 is told once, with what waits for it, however often that is tried', () => {
    const said: string[] = []
    const full = new FolderFull('/my/project', (line) => said.push(line))
    for (const path of ['a', 'b', 'c', 'd', 'a', 'b']) expect(full.take(noRoom(path))).toBe(true)
    full.tell()
    full.take(noRoom('a'))
    full.tell()
    expect(said).toEqual([
      '! No room left on the disk of /my/project: 4 files wait (a, b, c, ...). Free some space; they are tried again.',
    ])
    for (const path of ['a', 'b', 'c', 'd']) expect(full.take(applied(path))).toBe(false)
    expect(said.slice(1)).toEqual(['There is room again.'])
  })

  it('leaves other troubles to others, and says nothing of room where nothing was missing', () => {
    const said: string[] = []
    const full = new FolderFull('/my/project', (line) => said.push(line))
    expect(full.take({ is: 'trouble', path: null, why: 'gone' })).toBe(false)
    full.take(applied('a'))
    full.tell()
    expect(said).toEqual([])
  })

  it('of the hub names a file and what to do, and is no connection that was lost', () => {
    expect(hubFull(['big.bin', 'b', 'c'] as never)).toEqual({
      is: 'trouble',
      path: 'big.bin',
      why: 'the hub has no room left for it and 2 others; free some space where the hub keeps its data',
    })
  })
})
