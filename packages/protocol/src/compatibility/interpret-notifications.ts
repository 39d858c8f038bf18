import { event, isEvent } from '../events/event-names.ts'
import { fieldsOf, mainField } from '../forms/form-fields.ts'
import type { OpenQuestion } from '../runs/open-question.ts'
import type { RunView } from '../runs/run-view.ts'
import { pendingQuestions } from '../runs/sync-status.ts'
import type { Author, Notification } from '../wire/event.ts'
import { wireName } from '../wire/wire-names.ts'

/** What is stored for a batch, and which of it stands for each of the notifications that were sent. */
export type Interpreted = {
  notifications: readonly Notification[]
  places: readonly number[]
  /** The question that a message was the answer to. */
  answered?: string
}

/**
 * What notifications mean in a run that stands like this, where seeds 000 and 001 leave it to their reader (W62, W63): whose ack an
 * ack without an id is, whether a message is the answer to the open question, and that an agent which is idle has ended its turn.
 */
export function interpretNotifications(
  notifications: readonly Notification[],
  by: Author,
  view: RunView,
): Interpreted | null {
  if (by.kind === 'runner') return fromRunner(notifications, view)
  const [one] = notifications
  // Beside others it is part of something else, such as words in place of a message that is taken back.
  if (by.kind === 'hub' || !one || !isEvent(one, 'user_message') || notifications.length > 1) return null
  const answer = answeredBy(one.params ?? {}, view)
  if (!answer) return null
  return {
    notifications: [event('user_response', answer)],
    places: [0],
    answered: answer.questionId,
  }
}

function fromRunner(notifications: readonly Notification[], view: RunView): Interpreted | null {
  const left = answeredAndOpen(notifications, view)
  if (left.length === 0 && !notifications.some((one) => isEvent(one, 'agent_status') || isAckOfNone(one)))
    return null
  const stored: Notification[] = left.map((questionId) =>
    event('question_closed', { questionId, how: 'answered' }),
  )
  const places: number[] = []
  const acked: number[] = []
  const takeOldest = () => {
    const id = view.unacked.flat().find((one) => !acked.includes(one))
    if (id !== undefined) acked.push(id)
    return id
  }
  for (const one of notifications) {
    const { params = {} } = one
    const status = isEvent(one, 'agent_status') ? params.status : null
    const isIdle = view.openTurns.length + acked.length === 0
    const begun = status === 'thinking' && isIdle ? takeOldest() : undefined
    if (begun !== undefined) stored.push(event('ack', { for: wireName('user_message'), id: begun }))
    const id = isAckOfNone(one) && isOfMessage(params.for) ? takeOldest() : undefined
    places.push(stored.length)
    stored.push(id === undefined ? one : { ...one, params: { ...params, id } })
    if (status !== 'idle') continue
    for (const messageId of [...view.openTurns.map((turn) => turn.messageId), ...acked.splice(0)])
      stored.push(event('turn_complete', { messageId, stopReason: 'end_turn' }))
  }
  return { notifications: stored, places }
}

/**
 * Questions that have their answer and no end, when the next one is asked: runners of the seeds know no `question_closed`, and a
 * hundred open questions are all that a run can have.
 */
function answeredAndOpen(notifications: readonly Notification[], view: RunView): string[] {
  if (!notifications.some((one) => isEvent(one, 'agent_question'))) return []
  const closed = new Set(
    notifications.flatMap((one) => (isEvent(one, 'question_closed') ? [one.params?.questionId] : [])),
  )
  return view.openQuestions.flatMap(({ questionId, given }) =>
    given && !closed.has(questionId) ? [questionId] : [],
  )
}

const isAckOfNone = (one: Notification) => isEvent(one, 'ack') && one.params?.id === undefined

const isOfMessage = (what: unknown) => what === 'user_message' || what === wireName('user_message')

type Answered = { questionId: string; answer: string; content: string; saidAs: 'user_message' }

/**
 * The answer that a message is, or null if it is a message (W62): only while exactly one question is open, which is no permission and
 * no plan, and takes free text or has an option of that name. Whoever says `when`, or sends files along, means a message.
 */
function answeredBy(params: Readonly<Record<string, unknown>>, view: RunView): Answered | null {
  const { content, attachments, when } = params
  const pending = pendingQuestions(view)
  const [question] = pending
  if (!question || pending.length > 1 || typeof content !== 'string' || when !== undefined) return null
  if (Array.isArray(attachments) && attachments.length > 0) return null
  const answer = meant(question, content)
  return answer === null ? null : { questionId: question.questionId, answer, content, saidAs: 'user_message' }
}

function meant({ kind, isPlan, form, url, options }: OpenQuestion, content: string): string | null {
  const text = content.trim()
  if (kind === 'permission' || isPlan || url !== null || text === '') return null
  // An option of this kind gives a permission, whatever the question calls itself.
  if (options?.some((one) => typeof one !== 'string' && /^(allow|reject)_/.test(one.kind ?? ''))) return null
  if (!options || options.length === 0) return takesText(form) && content.length <= 30_000 ? content : null
  const fitting = options.filter((one) =>
    (typeof one === 'string' ? [one] : [one.name, one.optionId]).some((name) => same(name, text)),
  )
  const [one] = fitting
  if (one === undefined || fitting.length > 1) return null
  return typeof one === 'string' ? one : one.optionId
}

const takesText = (form: OpenQuestion['form']) => form === null || mainField(fieldsOf(form))?.kind === 'text'

const same = (a: string, b: string) => a.trim().toLowerCase() === b.toLowerCase()
