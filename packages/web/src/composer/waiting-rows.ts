import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { RunAction, UnsentAction } from '../outbox/actions.ts'
import type { MessageItem } from '../story/story.ts'
import { actionInWords } from './action-in-words.ts'

/** One line above the field: a message that waits for the agent, or something that waits for the hub. */
export type WaitingRow = {
  key: string
  text: string
  attachments: readonly Attachment[]
  /** Of a message that the log has and nobody has begun; it can be changed and taken back. */
  messageId: number | null
  /** What the hub does not have yet, and why it would not take it. */
  unsent: Pick<UnsentAction, 'key' | 'state' | 'why'> | null
  note: string | null
  /** It is not for after the turn but for into it, and need not be asked to be. */
  isSteering: boolean
  /** Its words can be read above, and need not be said again. */
  isAbove: boolean
}

/**
 * What waits, in the order in which it will be heard. A change that is on its way shows as if it had been made; what
 * belongs to a question stands there, and is not repeated.
 */
export function waitingRows(
  queue: readonly MessageItem[],
  unsent: readonly UnsentAction[],
  shownAbove: number | null = null,
): WaitingRow[] {
  const changes = new Map<number, UnsentAction>()
  for (const one of unsent) if ('messageId' in one.action) changes.set(one.action.messageId, one)
  const waiting = queue.map((message): WaitingRow => {
    const change = changes.get(message.id)
    const isTaken = change && change.state !== 'refused'
    return {
      key: `message ${message.id}`,
      text: isTaken && change.action.do === 'edit' ? change.action.text : message.text,
      attachments: message.attachments,
      messageId: change ? null : message.id,
      unsent: change ? { key: change.key, state: change.state, why: change.why } : null,
      note: change ? changeNote(change) : message.isSteering ? steeringNote : null,
      isSteering: message.isSteering,
      // Words that are on their way stand nowhere else.
      isAbove: message.id === shownAbove && !(isTaken && change.action.do === 'edit'),
    }
  })
  const known = new Set(queue.map(({ id }) => id))
  const others = unsent.filter(({ action, state }) => {
    if ('messageId' in action && known.has(action.messageId)) return false
    return isSaid(action) || ((state === 'refused' || state === 'stale') && action.do !== 'answer')
  })
  return [...waiting, ...others.map(unsentRow)]
}

const isSaid = (action: RunAction) => action.do === 'say' || action.do === 'steer' || action.do === 'shell'

function unsentRow({ key, at, action, state, why }: UnsentAction): WaitingRow {
  const text = 'text' in action ? action.text : actionInWords(action)
  const attachments = action.do === 'say' || action.do === 'steer' ? action.attachments : []
  return {
    key: `unsent ${key}`,
    text,
    attachments,
    messageId: null,
    unsent: { key, state, why },
    note: state === 'stale' ? staleNote(at) : noteOf(state, why),
    isAbove: false,
    isSteering: action.do === 'steer' || (action.do === 'say' && action.when === 'steer'),
  }
}

const steeringNote = 'Is told as soon as the agent listens'

function noteOf(state: UnsentAction['state'], why: string | null): string {
  if (state === 'refused') return `Not taken: ${why ?? 'the hub did not say why'}`
  return state === 'sending' ? 'Being sent' : 'Kept here until the hub can be reached'
}

const staleNote = (at: string) =>
  `Written on ${new Date(at).toLocaleDateString('en', { dateStyle: 'medium' })} and never sent. Send it now?`

function changeNote({ action, state, why, at }: UnsentAction): string {
  if (state === 'stale') return staleNote(at)
  if (state === 'refused') return `${noteOf(state, why)}`
  if (action.do === 'withdraw') return 'Being taken back'
  return action.do === 'steer' ? 'Being said now' : 'Being changed'
}
