import { event } from '@farhand/protocol/events/event-names'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { Notification } from '@farhand/protocol/wire/event'
import type { Deed } from './actions.ts'

const message = (content: string, attachments: readonly Attachment[], when: 'queue' | 'steer') =>
  event('user_message', {
    content,
    ...(attachments.length > 0 && { attachments }),
    // Always said: otherwise it might be taken for the answer to a question that is open (W62).
    when,
  })

/** What a deed says in the log. To open a run is no event: a hub is asked for it (W12). */
export function deedEvents(deed: Exclude<Deed, { do: 'open' }>): Notification[] {
  switch (deed.do) {
    case 'say':
      return [message(deed.text, deed.attachments, deed.when)]
    case 'edit':
      return [event('message_edit', { messageId: deed.messageId, content: deed.text })]
    case 'withdraw':
      return [event('message_edit', { messageId: deed.messageId, content: null })]
    case 'steer':
      return [
        event('message_edit', { messageId: deed.messageId, content: null }),
        message(deed.text, deed.attachments, 'steer'),
      ]
    case 'answer':
      return [
        event('user_response', {
          questionId: deed.questionId,
          answer: deed.answer,
          ...(deed.by !== undefined && { by: deed.by }),
        }),
      ]
    case 'cancel':
      return [event('cancel', {})]
    case 'close':
      return [event('close', {})]
    case 'run-mode':
      return [
        event('mode_change', {
          mode: deed.mode,
          ...(deed.policy !== undefined && { policy: deed.policy }),
        }),
      ]
    case 'agent-mode':
      return [event('session/set_mode', { modeId: deed.modeId })]
    case 'option':
      return [event('session/set_config_option', { configId: deed.configId, value: deed.value })]
    case 'shell':
      return [
        event('shell', {
          command: deed.command,
          id: deed.id,
          timeoutSeconds: deed.timeoutSeconds,
        }),
      ]
    case 'stop-shell':
      return [event('shell_stop', { id: deed.id })]
    case 'put-back':
      return [event('file_sync', deed.files)]
  }
}
