import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { MessageItem } from '@farhand/story/items/story'
import type { RunAction, UnsentAction } from '../outbox/actions.ts'

/** One line above the field: a message that waits for the agent, or an action that waits for the hub. */
export type WaitingRow = {
  key: string
  text: string
  attachments: readonly Attachment[]
  /** Set for a message in the log that the agent has not started; it can be changed and withdrawn. */
  messageId: number | null
  /** An action that the hub does not have yet, and why the hub refused it. */
  unsent: Pick<UnsentAction, 'key' | 'state' | 'why'> | null
  note: string | null
  /** The message goes into the running turn, so there is no button for that. */
  isSteering: boolean
  /** The timeline above shows the text, so it is not repeated here. */
  isAbove: boolean
}

/**
 * Everything that waits, in order. An unsent change is shown as if it were made. Answers are shown at their
 * question and not here.
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
      // Unsent words are not shown in the timeline.
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

const steeringNote = 'Sent as soon as the agent accepts it'

function noteOf(state: UnsentAction['state'], why: string | null): string {
  if (state === 'refused') return `Not accepted: ${why ?? 'the hub did not say why'}`
  return state === 'sending' ? 'Sending' : 'Saved here until the hub can be reached'
}

const staleNote = (at: string) =>
  `Written on ${new Date(at).toLocaleDateString('en', { dateStyle: 'medium' })} and never sent. Send it now?`

function changeNote({ action, state, why, at }: UnsentAction): string {
  if (state === 'stale') return staleNote(at)
  if (state === 'refused') return `${noteOf(state, why)}`
  if (action.do === 'withdraw') return 'Withdrawing'
  return action.do === 'steer' ? 'Sending now' : 'Saving the change'
}

/** Names an action, as the subject of the sentence "... was not accepted". */
function actionInWords(action: RunAction): string {
  switch (action.do) {
    case 'say':
    case 'steer':
      return 'A message'
    case 'edit':
      return 'A change to a message'
    case 'withdraw':
      return 'Withdrawing a message'
    case 'answer':
      return 'An answer'
    case 'cancel':
      return 'Stopping the agent'
    case 'close':
      return 'Closing the run'
    case 'open':
      return 'Reopening the run'
    case 'run-mode':
      return 'Changing the run settings'
    case 'agent-mode':
      return `The mode ${action.modeId}`
    case 'option':
      return `The setting ${action.configId}`
    case 'shell':
      return `! ${action.command}`
    case 'stop-shell':
      return 'Stopping a command'
    case 'put-back':
      return `Restoring ${action.path}`
  }
}
