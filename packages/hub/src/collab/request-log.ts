import { createHash } from 'node:crypto'
import { event } from '@farhand/protocol/events/event-names'
import { hasId } from '@farhand/protocol/runs/id-list'
import { isBadEnd } from '@farhand/protocol/runs/is-bad-end'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { RequestReply } from '@farhand/protocol/schemas/device-frames'
import type { RequestState } from '@farhand/protocol/schemas/requests'
import type { Author, Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { wireName } from '@farhand/protocol/wire/wire-names'
import type { EventLog } from '../log/event-log.ts'
import { decodeLine } from '../log/stored-line.ts'
import { admitted } from '../runs/inbox.ts'
import type { RequestRow } from './request-rows.ts'

const stretchBytes = 256 * 1024
/** As much as the longest offer has. */
const mostWords = 10_000
const ownChannels: readonly string[] = ['web', 'cli']

/** In whose name the message of a request is in the log. */
export const authorOf = ({ channel, user_id }: RequestRow): Author =>
  ownChannels.includes(channel) ? { kind: 'web', id: user_id } : { kind: 'channel', id: channel }

export const keyOf = ({ id }: Pick<RequestRow, 'id'>, name: string, text: string) => ({
  key: `request/${id}/${name}`,
  body: createHash('sha256').update(text).digest('base64url'),
})

/** Tells the user something in the log of the run, once however often it is called. A closed run is told nothing. */
export async function noteInLog(
  log: EventLog,
  row: Pick<RequestRow, 'id' | 'run_id'>,
  name: string,
  message: string,
): Promise<void> {
  const notification = event('console', { level: 'warn', message })
  await log
    .append(row.run_id, (head) =>
      admitted({ by: { kind: 'hub' }, notifications: [notification], key: keyOf(row, name, message) }, head),
    )
    .catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'run.closed') throw error
    })
}

/** How the message of a request ended, by the state of its run; null: it has not. */
export function endOf(
  view: RunView,
  message: number,
): { state: Extract<RequestState, 'done' | 'failed' | 'canceled'>; reason: string } | null {
  const isOpen = hasId(view.unacked, message) || view.openTurns.some(({ messageId }) => messageId === message)
  if (isOpen) {
    if (view.status === 'closed') return { state: 'failed', reason: 'its run was closed before it was done' }
    if (view.status === 'failed') return { state: 'failed', reason: 'its sandbox could not work' }
    return null
  }
  if (view.stopReason === 'cancelled') return { state: 'canceled', reason: 'its turn was cancelled' }
  if (isBadEnd(view.stopReason)) return { state: 'failed', reason: `its turn ended with ${view.stopReason}` }
  return { state: 'done', reason: 'its turn is complete' }
}

/** The last words of the agent about this message; what it says about later ones is not among them. */
export async function wordsAbout(log: EventLog, run: RunId, message: number): Promise<string> {
  let words = ''
  for (let at = message; ; ) {
    const stretch = await log.read(run, at, stretchBytes)
    if (!stretch) return words
    for (const line of stretch.bytes.toString().split('\n').slice(0, -1)) {
      const stored = decodeLine(line)
      const { method, params } = stored?.notification ?? {}
      if (method === wireName('turn_complete') && params?.messageId === message) return words
      if (method !== wireName('agent_message_chunk')) continue
      if (typeof params?.text === 'string') words = (words + params.text).slice(-mostWords)
    }
    at = stretch.lastId
  }
}

/** Whether no runner has begun with the message. */
export const isUntouched = (view: RunView, message: number) => hasId(view.unacked, message)

/**
 * Stores what a device without a runner has answered, in the name of this generation, which the caller began for it. If a runner has
 * begun with the message, or the answer is stored already, nothing is stored.
 */
export async function storeReply(
  log: EventLog,
  { run_id, message_event }: RequestRow,
  generation: number,
  { result, error }: RequestReply,
): Promise<void> {
  const messageId = message_event!
  const ack = event('ack', { for: wireName('user_message'), id: messageId })
  const end = (stopReason: string) => event('turn_complete', { messageId, stopReason })
  const said: Notification[] =
    error === undefined
      ? [...textOf(result), end('end_turn')]
      : [event('error', { message: typeof error === 'string' ? error : error.message }), end('failed')]
  await log.append(run_id, (head) => {
    const isDue = isUntouched(head.view, messageId) && head.view.generation === generation
    return admitted({ by: { kind: 'runner', generation }, notifications: isDue ? [ack, ...said] : [] }, head)
  })
}

function textOf(result: RequestReply['result']): Notification[] {
  const text = typeof result === 'string' ? result : result?.text
  return text === undefined || text === '' ? [] : [event('agent_message_chunk', { text })]
}

/** Takes back the message of a canceled request, or cancels the turn about it. */
export async function withdraw(log: EventLog, row: RequestRow): Promise<void> {
  const messageId = row.message_event
  if (messageId === null) return
  await log.append(row.run_id, (head) => {
    const { view } = head
    const by = authorOf(row)
    if (view.status === 'closed' || view.closing) return { by, notifications: [] }
    if (hasId(view.unacked, messageId))
      return admitted({ by, notifications: [event('message_edit', { messageId, content: null })] }, head)
    const isOpen = view.openTurns.some((turn) => turn.messageId === messageId)
    return admitted({ by, notifications: isOpen ? [event('cancel', {})] : [] }, head)
  })
}
