import { isEvent } from '@farhand/protocol/events/event-names'
import type { EventName } from '@farhand/protocol/methods/methods'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { EventLog } from '../log/event-log.ts'

const stretchBytes = 512 * 1024
/** A message is acked before an agent sees it, and an agent that starts may act by itself (W29). */
const begins: readonly EventName[] = ['ack', 'agent_start']
const methods = begins.map(wireName)

/** Whether an agent has ever been at work in a run, in whatever sandbox: then its files may be the agent's. */
export async function hasAgentWorked(log: EventLog, run: RunId): Promise<boolean> {
  for (let after = 0; ; ) {
    const stretch = await log.read(run, after, stretchBytes)
    if (!stretch) return false
    const lines = stretch.bytes.toString()
    // Nearly all logs that are asked about are without it, and long ones full of files.
    if (methods.some((method) => lines.includes(method)) && lines.split('\n').some(isBeginning)) return true
    after = stretch.lastId
    await new Promise(setImmediate)
  }
}

function isBeginning(line: string): boolean {
  if (line === '') return false
  return isEvent((JSON.parse(line) as StoredEvent).notification, ...begins)
}
