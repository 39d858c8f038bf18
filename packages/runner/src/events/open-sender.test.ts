import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Producer } from '@farhand/client/post/producer'
import { checkNotification } from '@farhand/protocol/events/check-notification'
import type { Notification } from '@farhand/protocol/wire/event'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { scriptedHub, someRun } from '@farhand/testkit/scripted-hub'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EntriesStored } from './entries-stored.ts'
import { openJournal } from './file-journal.ts'
import { openSender, unsentEvents } from './open-sender.ts'

const said = (n: number): Notification => ({ jsonrpc: '2.0', method: '_test/event', params: { n } })

/** A runner begins where one before it has said this much, of which the log has some; gives what it sends. */
async function beginning(before: Notification[], inLog: Notification[]) {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-sender-'))
  const journal = openJournal(folder, 1).begin()
  for (const event of before) journal.append(event)
  journal.close()
  const sent: unknown[] = []
  const hub = await scriptedHub((response, { body }) => {
    const events = body.toString().split('\n')
    sent.push(...events.map((line) => JSON.parse(line).params.n))
    const ids = events.map((_, nth) => nth + 1)
    response.writeHead(202, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ lastEventId: 1, ids }))
  })
  const leaving = new AbortController()
  const { signal } = leaving
  const producer = new Producer({ url: hub.url }, someRun, { id: 'runner', epoch: 2, signal })
  onTestFinished(async () => {
    leaving.abort()
    await producer.idle()
    await hub.close()
    rmSync(folder, { recursive: true })
  })
  const stored = inLog.map((notification, nth) =>
    SeenEvent.parse({
      id: nth + 1,
      type: 'notification',
      timestamp: '2030-01-01T00:00:00.000Z',
      by: { kind: 'runner', generation: 1 },
      notification,
    }),
  )
  const read = async (take: (event: SeenEvent) => void) => stored.forEach(take)
  const at = { hub: { url: hub.url }, at: someRun }
  return { sent, ...(await openSender({ ...at, folder, generation: 2, read, producer, signal })) }
}

it('W8 events that the runner before did not send are sent first, without those that the log has', async () => {
  const { sent, sender, handedIn } = await beginning([said(0), said(1), said(2)], [said(0)])
  const own = sender.send(said(3))
  await handedIn()
  expect(sent.slice(0, 2)).toEqual([1, 2])
  await sender.stored(own)
  expect(sent).toEqual([1, 2, 3])
})

it('nothing is sent and no caller waits if the runner before left no events', async () => {
  const { sent, handedIn } = await beginning([said(0)], [said(0)])
  await handedIn()
  expect(sent).toEqual([])
})

const unsaid = ['a', 'b', 'c'].map(
  (text): Notification => ({ jsonrpc: '2.0', method: 'agent_message_chunk', params: { text } }),
)
const leftovers = { generation: 3, from: (entry: number) => unsaid.slice(entry) }
const stored = (count: number, wasFollowed = false) => ({ count, wasFollowed }) as EntriesStored

describe('the first events of a generation', () => {
  it('are none if the runner before left none', () => {
    expect([...unsentEvents(null, stored(0))]).toEqual([])
    expect([...unsentEvents(leftovers, stored(3))]).toEqual([])
    expect([...unsentEvents(leftovers, stored(3, true))]).toEqual([])
  })

  it('are what the log does not have yet', () => {
    expect([...unsentEvents(leftovers, stored(1))]).toEqual(unsaid.slice(1))
  })

  it('W8 are an artifact if another runner has spoken meanwhile', () => {
    const [artifact, ...more] = unsentEvents(leftovers, stored(1, true))
    expect(artifact).toMatchObject({ method: '_posthog/artifact', params: { content: unsaid.slice(1) } })
    expect(more).toEqual([])
    checkNotification(artifact, 'runner')
  })
})
