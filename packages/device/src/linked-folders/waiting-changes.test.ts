import type { DiskFolder } from '@farhand/sync/engine/disk-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { expect, it } from 'vitest'
import { WaitingChanges } from './waiting-changes.ts'

it('what changes while the hub is away is counted, each path once, until it is there again', async () => {
  const notes: SyncNote[] = []
  const reports = ['a', 'b', 'b', 'c'].map((path) => ({ seen: [{ path }], scanned: true }))
  const disk = { next: async () => reports.shift() } as unknown as DiskFolder
  const waiting = new WaitingChanges((note) => notes.push(note))
  const heard = waiting.counting(disk)
  const next = () => heard.next(new AbortController().signal)
  await next()
  waiting.connection({ is: 'offline', why: 'gone', retryAt: null })
  await next()
  waiting.connection({ is: 'connecting' })
  await next()
  expect(notes.map((note) => note.is === 'progress' && note.toSend)).toEqual([1, 1])
  expect(waiting.size).toBe(1)
  waiting.connection({ is: 'live' })
  await next()
  expect(notes).toHaveLength(2)
  expect(waiting.size).toBe(0)
})
