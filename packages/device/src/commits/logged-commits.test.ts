import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { expect, it } from 'vitest'
import { isAboutCommits, LoggedCommits } from './logged-commits.ts'

const bundle = BlobHash.parse(`sha256_${'a'.repeat(64)}`)
const said = (id: number, kind: 'base' | 'checkpoint', rest: Record<string, unknown>) =>
  SeenEvent.parse({
    id,
    type: 'notification',
    timestamp: '2026-11-16T12:00:00.000Z',
    by: kind === 'base' ? { kind: 'device', id: 'dev_laptop00' } : { kind: 'runner', generation: 1 },
    notification: { jsonrpc: '2.0', method: '_posthog/git_commit', params: { kind, bundle, ...rest } },
  })

it('the beginning of a hash is no commit: it could stand for a commit of the user that was never sent', () => {
  const log = new LoggedCommits()
  const [sha, head] = ['b'.repeat(40), 'c'.repeat(40)]
  log.take(said(1, 'base', { sha: 'b'.repeat(12), head }))
  expect(log.base).toBeNull()
  log.take(said(2, 'base', { sha, head: sha, number: 1, upTo: 1 }))
  log.take(said(3, 'checkpoint', { sha: 'd'.repeat(40), head: 'cafe', after: sha, upTo: 2 }))
  log.take(said(4, 'checkpoint', { sha: 'face', head, after: sha, upTo: 2 }))
  expect(log.checkpoint).toBeNull()
  log.take(said(5, 'checkpoint', { sha: 'd'.repeat(40), head, after: sha, upTo: 2 }))
  expect([log.base?.sha, log.checkpoint?.head]).toEqual([sha, head])
})

it('what is kept of a log says the same of commits as all of it, also after the run has worked on a device', () => {
  const [first, second, newest] = ['1', '2', '3'].map((letter) => letter.repeat(40))
  const moved = (id: number, sandbox: string) =>
    SeenEvent.parse({
      ...said(id, 'base', { sha: first }),
      by: { kind: 'hub' },
      notification: { jsonrpc: '2.0', method: '_posthog/moved', params: { sandbox } },
    })
  const all = [
    said(1, 'base', { sha: first, head: first }),
    moved(2, 'none'),
    said(3, 'base', { sha: second, head: second }),
    moved(4, 'process'),
    said(5, 'checkpoint', { sha: newest, head: second, after: second, number: 1, upTo: 4 }),
  ]
  const read = (events: readonly SeenEvent[]) => {
    const log = new LoggedCommits()
    for (const event of events) log.take(event)
    return log.checkpoint?.sha
  }
  expect([read(all), read(all.filter(isAboutCommits))]).toEqual([newest, newest])
})
