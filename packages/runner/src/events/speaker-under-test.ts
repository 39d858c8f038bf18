import { writeSync } from 'node:fs'
import process from 'node:process'
import { readLog } from '@farhand/client/follow/read-log'
import { Producer } from '@farhand/client/post/producer'
import { beginRunner } from '@farhand/client/resources/resources'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { leanFetch } from '@farhand/sync/http/lean-fetch'
import { Dice } from '@farhand/testkit/dice'
import { EntriesStored } from './entries-stored.ts'
import { EventSender } from './event-sender.ts'
import { openJournal } from './file-journal.ts'
import type { Journal } from './journal.ts'
import { numbersIn, saying } from './numbered-words-under-test.ts'
import { unsentEvents } from './open-sender.ts'

/** A runner that counts aloud until it has come to `upTo`, and kills itself at the step it is told. */
export type Speaker = {
  url: string
  token: string
  at: RunAddress
  folder: string
  seed: number
  killAt: number
  upTo: number
}

const { url, token, at, folder, seed, killAt, upTo } = JSON.parse(process.argv[2]!) as Speaker
const dice = new Dice(seed)
let steps = 0
/** Between any two of these it may die. */
function step<T>(value: T): T {
  if (++steps === killAt) process.kill(process.pid, 'SIGKILL')
  return value
}
const fetch: typeof leanFetch = Object.assign(
  (async (...request: Parameters<typeof leanFetch>) => {
    step(null)
    return step(await leanFetch(...request))
  }) as typeof leanFetch,
  { takesPieces: true as const },
)

function mortal(journal: Journal): Journal {
  return {
    append: (event) => step(journal.append(step(event))),
    read: (from, most) => step(journal.read(from, most)),
    forget: (before) => step(journal.forget(step(before))),
    get bytes() {
      return journal.bytes
    },
    get next() {
      return journal.next
    },
    close: () => journal.close(),
  }
}

function* mortally(events: Iterable<Notification>): Generator<Notification> {
  for (const event of events) yield step(event)
}

const backoff = { firstMs: 5, maxMs: 50 }
const grant = await beginRunner({ url, token, fetch }, at, {}, { backoff })
const hub = { url, token: grant.token, fetch }
const { leftovers, begin } = openJournal(folder, grant.generation)
const stored = new EntriesStored(leftovers?.generation ?? 0)
const log: SeenEvent[] = []
for await (const event of readLog(hub, at, { backoff })) {
  stored.take(event)
  log.push(event)
}
const left = [...unsentEvents(leftovers, stored)]
const journal = mortal(step(begin(mortally(left))))

const saidBefore = [...log.map(({ notification }) => notification), ...left].flatMap(numbersIn)
let next = (saidBefore.at(-1) ?? -1) + 1
writeSync(1, `begin ${next}\n`)
const { signal } = new AbortController()
const producer = new Producer(hub, at, { id: 'runner', epoch: grant.generation, signal, backoff })
const onOver = (why: unknown) => {
  throw why
}
const sender = new EventSender({ hub, at, journal, producer, signal, backoff, onOver })
let last = journal.next - 1
while (next < upTo) {
  last = sender.send(saying(next, dice))
  // What was said has to outlive this line, even if the process is killed next.
  writeSync(1, `said ${next++}\n`)
  if (dice.chance(0.05)) {
    const params = { path: `file ${next}`, action: 'deleted' }
    void producer.send({ jsonrpc: '2.0', method: '_posthog/file_change', params })
  }
  if (dice.chance(0.03)) await sender.stored(last)
  else if (dice.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, dice.between(0, 8)))
}
await sender.stored(last)
await producer.idle()
process.exit(0)
