import { isEvent } from '@farhand/protocol/events/event-names'
import type { EventName } from '@farhand/protocol/methods/methods'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { EventLog } from '../log/event-log.ts'

const stretchBytes = 512 * 1024
/** A message is acknowledged before the agent sees it, and an agent may act as soon as it starts (W29). */
const begins: readonly EventName[] = ['ack', 'agent_start']
const methods = begins.map(wireName)

/** Whether an agent has ever worked in a run: then the files of its sandbox may be the agent's work. */
export async function hasAgentWorked(log: EventLog, run: RunId): Promise<boolean> {
  for (let after = 0; ; ) {
    const stretch = await log.read(run, after, stretchBytes)
    if (!stretch) return false
    const lines = stretch.bytes.toString()
    // A quick check before parsing: most of these logs have no such event, and long ones are full of files.
    if (methods.some((method) => lines.includes(method)) && lines.split('\n').some(isBeginning)) return true
    after = stretch.lastId
    await new Promise(setImmediate)
  }
}

function isBeginning(line: string): boolean {
  if (line === '') return false
  return isEvent((JSON.parse(line) as StoredEvent).notification, ...begins)
}
