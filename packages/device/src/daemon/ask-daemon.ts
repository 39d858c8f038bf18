import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import {
  DaemonAnswer,
  type DaemonRequest,
  daemonProtocolVersion,
  daemonSocketFile,
} from './daemon-protocol.ts'

// The daemon answers from memory; one that is slower is treated as absent.
const patienceMs = 2_000

/** Sends a request to the daemon of a state folder; null if none answers. */
export function askDaemon(state: string, ask: DaemonRequest['ask']): Promise<DaemonAnswer | null> {
  const socket = socketOf(state)
  if (socket === null) return Promise.resolve(null)
  return new Promise((resolve) => {
    const call = connect(socket)
    const lines = createInterface({ input: call })
    const over = (says: DaemonAnswer | null) => {
      call.destroy()
      resolve(says)
    }
    call.setTimeout(patienceMs, () => over(null))
    call.on('error', () => over(null))
    // The stream emits the same error again.
    lines.on('error', () => {})
    call.on('close', () => over(null))
    call.on('connect', () => call.write(`${JSON.stringify({ v: daemonProtocolVersion, ask })}\n`))
    lines.on('line', (line) => over(parsed(line)))
  })
}

function socketOf(state: string): string | null {
  try {
    return readFileSync(daemonSocketFile(state), 'utf8')
  } catch {
    // There is no daemon, or it is still starting.
    return null
  }
}

function parsed(line: string): DaemonAnswer | null {
  try {
    return DaemonAnswer.parse(JSON.parse(line))
  } catch {
    return null
  }
}
