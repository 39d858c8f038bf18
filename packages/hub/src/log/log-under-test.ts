import { hub } from '@farhand/protocol/events/sample-log'
import type { Author, KeyStamp, Notification, ProducerStamp, StoredEvent } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import { beforeEach } from 'vitest'
import type { Appended, EventLog } from './event-log.ts'

/** Opens an empty log that tells the time with `now`. */
export type MakeLog = (now: () => number) => Promise<{ log: EventLog; reopen(): Promise<EventLog> }>

export type LogUnderTest = ReturnType<typeof logUnderTest>

export const run = 'run_contract1' as RunId
export const otherRun = 'run_contract2' as RunId

export const said = (text: string): Notification => ({
  jsonrpc: '2.0',
  method: '_test/said',
  params: { text },
})

const sessionStart = (generation: number): Notification => ({
  jsonrpc: '2.0',
  method: '_posthog/session_start',
  params: { sandboxId: 'none', generation },
})

/** All events of a run, read with a cursor in small steps. */
export async function everything(log: EventLog, of: RunId, maxBytes = 1000): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const chunk = await log.read(of, events.at(-1)?.id ?? 0, maxBytes)
    if (!chunk) return events
    for (const line of chunk.bytes.toString().split('\n').slice(0, -1)) events.push(JSON.parse(line))
  }
}

/** A log that is made anew before each test of the suite it is called in, with its clock, and what tests do with it. */
export function logUnderTest(make: MakeLog) {
  let log: EventLog
  let reopened: () => Promise<EventLog>

  const append = (
    by: Author,
    texts: string[],
    stamps: { producer?: ProducerStamp; key?: KeyStamp; life?: number } = {},
  ): Promise<Appended> => log.append(run, () => ({ by, notifications: texts.map(said), ...stamps }))

  const tested = {
    nowMs: 0,
    get log() {
      return log
    },
    append,
    stamped: (by: Author, epoch: number, seq: number, ...texts: string[]) =>
      append(by, texts, { producer: { id: 'p', epoch, seq } }),
    keyed: (by: Author, key: string, body: string) => append(by, [body], { key: { key, body } }),
    begin: (generation: number) =>
      log.append(run, () => ({ by: hub, notifications: [sessionStart(generation)] })),
    texts: async () => (await everything(log, run)).map(({ notification }) => notification.params?.text),
    reopen: async () => {
      log = await reopened()
    },
  }

  beforeEach(async () => {
    tested.nowMs = Date.UTC(2026, 0, 1)
    const made = await make(() => tested.nowMs)
    log = made.log
    reopened = made.reopen
  })
  return tested
}
