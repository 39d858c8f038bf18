import { eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import { type Notification, notification } from '@farhand/protocol/wire/event'
import { RedactedText, type Redaction } from './redaction.ts'
import { wellFormed } from './well-formed.ts'

const isChunk = eventsNamed('agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk')

/** Events that later runners and hubs rely on word by word: only their fields for users are redacted. */
const isFact = eventsNamed(
  'ack',
  'agent_memory',
  'agent_start',
  'file_change',
  'file_content',
  'git_commit',
  'rest_answer',
  'session_checkpoint',
  'session_restored',
  'turn_complete',
)
const toPeople = ['message', 'reason', 'error', 'content', 'remotes', 'said', 'usage', '_meta']

type Message = { method: string; messageId: unknown; text: RedactedText }

/**
 * Removes secrets from a runner's events. Chunks of a text are redacted as one text: an end that may be the beginning
 * of a secret waits for more, until the next event that is not beside the message.
 */
export class RedactedEvents {
  readonly #redaction: Redaction
  #message: Message | null = null
  readonly #outputs = new Map<string, RedactedText>()
  /** Commands that have ended. Processes in their background may still print, and no event tells when these end. */
  readonly #over = new Set<unknown>()

  constructor(redaction: Redaction) {
    this.#redaction = redaction
  }

  /** The events to send after this one was written, in order. */
  take(event: Notification): Notification[] {
    if (this.#redaction.isEmpty) return [event]
    if (isChunk(event)) return this.#chunk(event, event.params ?? {})
    if (isEvent(event, 'sandbox_output')) return this.#output(wellFormed(event))
    const clean = this.#whole(wellFormed(event))
    return isBeside(event) ? [clean] : [...this.#endMessage(), clean]
  }

  #chunk(event: Notification, params: Record<string, unknown>): Notification[] {
    const { text, messageId } = params
    const goesOn = this.#message?.method === event.method && this.#message.messageId === messageId
    const before = goesOn ? [] : this.#endMessage()
    // A chunk that is not just text is redacted on its own.
    if (typeof text !== 'string' || 'content' in params)
      return [...before, ...this.#endMessage(), this.#whole(wellFormed(event))]
    this.#message ??= { method: event.method, messageId, text: new RedactedText(this.#redaction) }
    const said = this.#message.text.take(text)
    if (isPlain(params)) {
      if (said === '' && text !== '') return before
      return [...before, said === text ? event : { ...event, params: { ...params, text: said } }]
    }
    const rest = this.#whole(wellFormed({ ...event, params: { ...params, text: '' } }))
    return [...before, { ...rest, params: { ...rest.params, text: said } }]
  }

  #endMessage(): Notification[] {
    const message = this.#message
    this.#message = null
    const text = message?.text.end() ?? ''
    if (!message || text === '') return []
    const { method, messageId } = message
    return [notification(method, messageId === undefined ? { text } : { text, messageId })]
  }

  /** Each of the two outputs of a command is redacted as one text, until the command ends. */
  #output(event: Notification): Notification[] {
    const params = { ...event.params }
    if ('exitCode' in params) this.#over.add(params.id)
    const isOver = this.#over.has(params.id)
    for (const name of ['stdout', 'stderr'] as const) {
      const key = `${name} ${params.id}`
      const said = params[name]
      const text = this.#outputs.get(key)
      if (typeof said !== 'string' && !(isOver && text)) continue
      const stream = text ?? new RedactedText(this.#redaction)
      if (isOver) this.#outputs.delete(key)
      else this.#outputs.set(key, stream)
      const clean = stream.take(typeof said === 'string' ? said : '') + (isOver ? stream.end() : '')
      if (clean !== '' || said !== undefined) params[name] = clean
    }
    return [{ ...event, params }]
  }

  #whole(event: Notification): Notification {
    const params = isFact(event) ? this.#ofFacts(event.params ?? {}) : this.#redaction.value(event.params)
    return params === event.params ? event : { ...event, params: params as Notification['params'] }
  }

  #ofFacts(params: Record<string, unknown>): Record<string, unknown> {
    const clean = toPeople.flatMap((name) => {
      const value = this.#redaction.value(params[name])
      return value === params[name] ? [] : [[name, value]]
    })
    return clean.length === 0 ? params : { ...params, ...Object.fromEntries(clean) }
  }
}

function isPlain(params: Record<string, unknown>): boolean {
  for (const name in params) if (name !== 'text' && name !== 'messageId') return false
  return true
}

/** Events that may occur within a message and do not end it. */
function isBeside(event: Notification): boolean {
  if (isEvent(event, 'console')) return true
  if (!isEvent(event, 'session/update')) return false
  const { sessionUpdate } = (event.params?.update ?? {}) as { sessionUpdate?: unknown }
  return !String(sessionUpdate).startsWith('tool_call')
}
