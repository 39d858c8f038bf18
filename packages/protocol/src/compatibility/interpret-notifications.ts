import { event, isEvent } from '../events/event-names.ts'
import { fieldsOf, mainField } from '../forms/form-fields.ts'
import type { OpenQuestion } from '../runs/open-question.ts'
import type { RunView } from '../runs/run-view.ts'
import { pendingQuestions } from '../runs/sync-status.ts'
import type { Author, Notification } from '../wire/event.ts'
import { wireName } from '../wire/wire-names.ts'

/** The notifications to store for a batch, and the index among them of each notification that was sent. */
export type Interpreted = {
  notifications: readonly Notification[]
  places: readonly number[]
  /** The question that a message answered. */
  answered?: string
}

/**
 * Adds what programs written from seeds 000 and 001 leave out, from the state of the run (W62, W63): the message of an ack
 * without an id, the question that a message answers, and the end of a turn when the agent reports that it is idle. Null if
 * the notifications are complete.
 */
export function interpretNotifications(
  notifications: readonly Notification[],
  by: Author,
  view: RunView,
): Interpreted | null {
  if (by.kind === 'runner') return fromRunner(notifications, view)
  const [one] = notifications
  // In a batch a message has another purpose, such as replacing one that is withdrawn.
  if (by.kind === 'hub' || !one || !isEvent(one, 'user_message') || notifications.length > 1) return null
  const answer = answeredBy(one.params ?? {}, view)
  if (!answer) return null
  return { notifications: [event('user_response', answer)], places: [0], answered: answer.questionId }
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
 * Answered questions that are still open when the next one is asked: runners of the seeds do not send `question_closed`, and a
 * run can have only a hundred open questions.
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
 * The answer that a message gives, or null if it is just a message (W62). It is an answer only while exactly one question is open
 * that is no permission and no plan, and takes free text or has an option of that name. A message with `when` or with files is
 * never an answer.
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
  // With an option of this kind the question asks for a permission, even if its own kind is another.
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
