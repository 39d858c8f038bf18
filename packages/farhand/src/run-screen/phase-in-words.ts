import { eventName } from '@farhand/protocol/events/event-names'
import { PhaseComplete, PhaseStart } from '@farhand/protocol/methods/reports'
import { StatusChange } from '@farhand/protocol/methods/session'
import type { Notification } from '@farhand/protocol/wire/event'
import { firstLine, shownText } from '../printing/shown-text.ts'
import type { Piece } from './piece.ts'

const phases: Readonly<Record<string, { doing: string; done: string; failed: string }>> = {
  provisioning: {
    doing: 'a sandbox is being made',
    done: 'Sandbox ready',
    failed: 'There is no sandbox yet',
  },
  restoring: {
    doing: 'files are brought into the sandbox',
    done: 'Files are there',
    failed: 'Files could not be brought into the sandbox',
  },
  setup: {
    doing: 'the setup command is at work',
    done: 'Setup done',
    failed: 'The setup command failed',
  },
  checkpointing: { doing: '', done: '', failed: 'No checkpoint could be made' },
}

/** What the hub and the sandbox do before the agent can work. */
export function phaseInWords(method: string, params: Record<string, unknown>): Piece[] {
  const name = eventName(method)
  if (name === 'phase_start') {
    const doing = phases[PhaseStart.safeParse(params).data?.phase ?? '']?.doing
    return doing ? [{ as: 'status', text: doing }] : []
  }
  if (name === 'phase_complete') return phaseEnd(params)
  const change = StatusChange.safeParse(params).data
  // An error event tells the reason.
  if (change?.status === 'failed') return [{ as: 'warning', text: 'The run has failed.' }]
  if (change?.status === 'queued' && change.reason)
    return [{ as: 'warning', text: `Waiting: ${shownText(change.reason)}.` }]
  if (change?.status === 'asleep') return [{ as: 'faint', text: 'The run is asleep; a message wakes it.' }]
  return []
}

/** What the sandbox is doing before its agent can work, by its last events; null if nothing. */
export function underWay(notifications: Iterable<Notification>): string | null {
  let doing: { phase: string } | null = null
  for (const { method, params } of notifications) {
    const name = eventName(method)
    if (name === 'session_start') doing = null
    if (name === 'phase_start') doing = PhaseStart.safeParse(params).data ?? null
    if (name === 'phase_complete') doing = null
  }
  return phases[doing?.phase ?? '']?.doing || null
}

function phaseEnd(params: Record<string, unknown>): Piece[] {
  const { phase, ms, ok, error } = PhaseComplete.safeParse(params).data ?? { phase: '' }
  const words = phases[phase]
  if (!words) return []
  if (ok === false) {
    const why = typeof error === 'string' ? error : (error as { message?: unknown } | null)?.message
    return [{ as: 'warning', text: `${words.failed}${why ? `: ${firstLine(String(why), 500)}` : '.'}` }]
  }
  if (words.done === '') return []
  const took = typeof ms === 'number' ? ` (${(ms / 1000).toFixed(1)} s)` : ''
  return [{ as: 'faint', text: `${words.done}${took}` }]
}
