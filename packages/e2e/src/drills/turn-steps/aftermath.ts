import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { wordsAppended } from '../turn-drill/script.ts'
import type { Told } from '../turn-drill/turn-rules.ts'
import { leftOf } from './drill-processes.ts'
import { linesOf } from './file-outbox.ts'

/** What is wrong in a client's record of the log: it must have each event once, in order, also after kills. */
export async function wrongRecord(device: string, events: readonly SeenEvent[]): Promise<string[]> {
  const record = () => linesOf(join(device, 'events.ndjson')).map(Number)
  const deadline = performance.now() + 300_000
  while ((record().at(-1) ?? 0) < events.length && performance.now() < deadline) await sleep(20)
  const wrong = record().findIndex((id, at) => id !== at + 1)
  if (wrong !== -1) return [`the client took event ${record()[wrong]} in the place of ${wrong + 1}`]
  return record().length === events.length ? [] : [`the client took ${record().length} of ${events.length}`]
}

/** An agent that dies between two turns may be missed only when the next one has begun. */
const noticedWithin = 10

/** A process was dead between these times, by the clock of the events: a reader of the log may be far behind it. */
export type Death = { fromMs: number; toMs: number }

/** A message is begun again only if a process that worked on it has died. */
export function wrongAgain(
  messages: readonly Told[],
  deaths: readonly Death[],
  events: readonly SeenEvent[],
): string[] {
  const at = (id: number) => Date.parse(events[Math.max(id, 1) - 1]!.timestamp)
  return messages.flatMap(({ id, attempts: [first, second] }) => {
    const isDeath = ({ fromMs, toMs }: Death) => toMs >= at(id - noticedWithin) && fromMs <= at(second!.ackId)
    // A message that joined a turn which ended before the agent got it has a turn of its own.
    if (!second || first?.into || deaths.some(isDeath)) return []
    return [`message ${id} was begun again, and no process had died`]
  })
}

/** Nothing that was started for a run outlives it. */
export const wrongLeft = (run: string) => leftOf(run).map((pid) => `process ${pid} is left`)

/** What was done to files, against how often the agent was sent to do it, and against what the log says of them. */
export function wrongFiles(
  workspace: string,
  messages: readonly Told[],
  events: readonly SeenEvent[],
): string[] {
  const lines = linesOf(join(workspace, 'log.txt'))
  const wrongs = messages.flatMap(({ id, content, isWithdrawn, attempts, stopReason }) =>
    wordsAppended(content).flatMap((word) => {
      const times = lines.filter((line) => line === word).length
      const least = stopReason === 'end_turn' ? 1 : 0
      const most = isWithdrawn ? 0 : attempts.length
      return times < least || times > most ? [`message ${id}: ${word} is in log.txt ${times} times`] : []
    }),
  )
  return [...wrongs, ...wrongContents(workspace, events)]
}

function wrongContents(workspace: string, events: readonly SeenEvent[]): string[] {
  const said = new Map<string, string>()
  for (const { notification } of events) {
    const { path, hash } = notification.params ?? {}
    if (notification.method === '_posthog/file_change') said.set(String(path), String(hash))
  }
  const files = readdirSync(workspace, { withFileTypes: true }).filter((entry) => entry.isFile())
  return files.flatMap(({ name }) => {
    const hash = `sha256_${createHash('sha256')
      .update(readFileSync(join(workspace, name)))
      .digest('hex')}`
    return said.get(name) === hash ? [] : [`${name} is ${hash}, and was said to be ${said.get(name)}`]
  })
}
