import { event } from '@farhand/protocol/events/event-names'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAction } from './actions.ts'

const message = (content: string, attachments: readonly Attachment[], when: 'queue' | 'steer') =>
  event('user_message', {
    content,
    ...(attachments.length > 0 && { attachments }),
    // Always set: without it the message could count as the answer to an open question (W62).
    when,
  })

/** The events of an action. Opening a run is a request to the hub, not an event (W12). */
export function actionEvents(action: Exclude<RunAction, { do: 'open' }>): Notification[] {
  switch (action.do) {
    case 'say':
      return [message(action.text, action.attachments, action.when)]
    case 'edit':
      return [event('message_edit', { messageId: action.messageId, content: action.text })]
    case 'withdraw':
      return [event('message_edit', { messageId: action.messageId, content: null })]
    case 'steer':
      return [
        event('message_edit', { messageId: action.messageId, content: null }),
        message(action.text, action.attachments, 'steer'),
      ]
    case 'answer':
      return [
        event('user_response', {
          questionId: action.questionId,
          answer: action.answer,
          ...(action.by !== undefined && { by: action.by }),
        }),
      ]
    case 'cancel':
      return [event('cancel', {})]
    case 'close':
      return [event('close', {})]
    case 'run-mode':
      return [
        event('mode_change', {
          mode: action.mode,
          ...(action.policy !== undefined && { policy: action.policy }),
        }),
      ]
    case 'agent-mode':
      return [event('session/set_mode', { modeId: action.modeId })]
    case 'option':
      return [event('session/set_config_option', { configId: action.configId, value: action.value })]
    case 'shell':
      return [
        event('shell', { command: action.command, id: action.id, timeoutSeconds: action.timeoutSeconds }),
      ]
    case 'stop-shell':
      return [event('shell_stop', { id: action.id })]
    case 'put-back':
      return [event('file_sync', action.files)]
  }
}
