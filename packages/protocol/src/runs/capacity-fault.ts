import { eventName, isEvent } from '../events/event-names.ts'
import type { Notification } from '../wire/event.ts'
import { Fault } from '../wire/faults.ts'
import { limits } from '../wire/limits.ts'
import { countIds, hasId } from './id-list.ts'
import type { RunView } from './run-view.ts'

/**
 * Why a run has no room for these notifications, or null. They have to be checked already (W10). Every reader that
 * folds a log keeps its open messages and questions: without a limit one writer could fill the memory of all readers.
 */
export function capacityFault(view: RunView, notifications: readonly Notification[]): Fault | null {
  let [messages, questions] = [false, false]
  for (const notification of notifications) {
    if (isEvent(notification, 'user_message')) messages = true
    else if (isEvent(notification, 'agent_question')) questions = true
  }
  return (
    (messages ? messagesFault(view, notifications) : null) ??
    (questions ? questionsFault(view, notifications) : null)
  )
}

// An ack only moves a message from one list to the other, so it needs no room of its own.
function messagesFault(view: RunView, notifications: readonly Notification[]): Fault | null {
  let open = countIds(view.unacked) + view.openTurns.length
  const withdrawn = new Set<number>()
  for (const { method, params } of notifications) {
    const name = eventName(method)
    if (name === 'user_message' && ++open > limits.openMessages) {
      return new Fault(
        'run.overfull',
        `${limits.openMessages} messages wait for this run already; send more when it has answered some of them`,
      )
    }
    const id = params?.messageId as number
    if (name !== 'message_edit' || params?.content !== null || withdrawn.has(id) || !hasId(view.unacked, id))
      continue
    withdrawn.add(id)
    open--
  }
  return null
}

function questionsFault(view: RunView, notifications: readonly Notification[]): Fault | null {
  const open = new Set<unknown>(view.openQuestions.map((asked) => asked.questionId))
  for (const { method, params } of notifications) {
    const name = eventName(method)
    if (name === 'question_closed') open.delete(params?.questionId)
    if (name !== 'agent_question' || open.has(params?.questionId)) continue
    if (open.size >= limits.openQuestions) {
      return new Fault(
        'run.questions-open',
        `${limits.openQuestions} questions of this run are open; send question_closed for some before asking more`,
      )
    }
    open.add(params?.questionId)
  }
  return null
}
