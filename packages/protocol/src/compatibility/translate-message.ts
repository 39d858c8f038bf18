import { methods } from '../methods/methods.ts'
import { type Author, notification } from '../wire/event.ts'
import { isObject } from '../wire/is-object.ts'
import { wireName } from '../wire/wire-names.ts'

type Fields = Record<string, unknown>

/** What a translation needs besides the message. */
export type Translation = {
  by: Author
  /** A new id, where the writer sent none. */
  newId: (prefix: string) => string
  /** Stores the content of a file that came inside its event, and returns the hash of the blob; without it contents stay in the event. */
  keep?: ((content: string, hash: unknown) => string) | undefined
}

/**
 * Translates a message of seeds 000 and 001 into the form of the log (W63). A message in that form is returned unchanged, as the
 * same object. Any other value is returned too: the checks that follow refuse it and name the field.
 */
export function translateMessage(value: unknown, translation: Translation): unknown {
  const said = unwrapped(value)
  if (!isObject(said) || typeof said.method !== 'string') return said
  const translate = translators.get(said.method)
  const params = said.params ?? {}
  if (!translate || !isObject(params)) return said
  const [method, translated] = translate(params, translation, said.method)
  return method === said.method && translated === params ? said : { ...said, method, params: translated }
}

/** Takes a notification out of the stored envelope of 001, and adds JSON-RPC to the events of its agent server, which lack it. */
function unwrapped(value: unknown): unknown {
  if (!isObject(value) || 'jsonrpc' in value || typeof value.type !== 'string') return value
  if (value.type === 'notification') return value.notification
  const { type, seq: _, timestamp: __, ...params } = value
  const method = wireName(value.type)
  const isOurs = method !== value.type && Object.hasOwn(methods, method)
  return isOurs || type === 'agent_message' ? notification(method, params) : value
}

type Translate = (
  params: Fields,
  translation: Translation,
  method: string,
) => [method: string, params: Fields]

const translators = new Map<string, Translate>([
  [wireName('file_change'), (params, { keep }, method) => [method, files(params, keep)]],
  [wireName('file_sync'), (params, { keep }, method) => [method, files(params, keep)]],
  [wireName('file_kept'), (params, _, method) => [method, withHash(params)]],
  [wireName('file_content'), (params, _, method) => [method, withHash(params)]],
  [wireName('artifact'), (params, _, method) => [method, withHash(params)]],
  [wireName('user_message'), (params, _, method) => [method, attachments(params)]],
  ['tool_call', toolUse],
  ['tool_result', toolUse],
  [wireName('agent_question'), question],
  [wireName('session_start'), sessionStart],
  [wireName('ack'), (params, _, method) => [method, ack(params)]],
  [wireName('git_commit'), (params, _, method) => [method, without(params, ['message'])]],
  [wireName('set_mode'), setMode],
  ['session/set_mode', setMode],
  [
    'initialize',
    (params, { by }, method) => [by.kind === 'runner' ? method : wireName('session_init'), params],
  ],
  ['agent_status', (params) => [wireName('agent_status'), params]],
  ['agent_message', (params) => ['agent_message_chunk', chunk(params)]],
  [wireName('agent_message'), (params) => ['agent_message_chunk', chunk(params)]],
  ['agent_message_chunk', (params, _, method) => [method, chunk(params)]],
  ['user_message_chunk', (params, _, method) => [method, chunk(params)]],
])

/** The params without those of these names that are null; the same object if there are none. */
function without(params: Fields, names: readonly string[]): Fields {
  if (!names.some((name) => params[name] === null)) return params
  return Object.fromEntries(
    Object.entries(params).filter(([name, value]) => value !== null || !names.includes(name)),
  )
}

/** Programs that read server-sent events get ids as text, and send them back as text. */
function ack(params: Fields): Fields {
  const said = without(params, ['id'])
  const digits = typeof said.id === 'string' ? /^(?:evt_)?(\d{1,15})$/.exec(said.id)?.[1] : undefined
  return digits === undefined ? said : { ...said, id: Number(digits) }
}

/** 001 sends the text as `content`, or as a text block of ACP. */
function chunk(params: Fields): Fields {
  if (params.text !== undefined || params.content === undefined) return params
  const { content, ...rest } = params
  if (typeof content === 'string') return { ...rest, text: content }
  if (!isObject(content)) return params
  const isText = content.type === 'text' && typeof content.text === 'string'
  if (!isText) return { ...params, text: '' }
  return Object.keys(content).length === 2
    ? { ...rest, text: content.text }
    : { ...params, text: content.text }
}

/** `setMode` of 000 sets the mode of the run; that of ACP, with `modeId`, sets a mode of the agent. */
function setMode(params: Fields, _: Translation, method: string): [string, Fields] {
  const isOfRun =
    params.modeId === undefined && (params.mode === 'interactive' || params.mode === 'background')
  return [isOfRun ? wireName('mode_change') : method, params]
}

const bareHash = /^[0-9a-fA-F]{64}$/

/** The hash of a blob: digits alone get the prefix; everything else is left for the checks. */
export const blobName = (hash: string) => (bareHash.test(hash) ? `sha256_${hash.toLowerCase()}` : hash)

function withHash(params: Fields): Fields {
  const { hash } = params
  if (typeof hash !== 'string' || !bareHash.test(hash)) return params
  return { ...params, hash: blobName(hash) }
}

function files(params: Fields, keep: Translation['keep']): Fields {
  const { files: several } = params
  if (several === undefined) return file(params, keep)
  if (!Array.isArray(several)) return params
  const translated = several.map((one) => (isObject(one) ? file(one, keep) : one))
  return translated.every((one, at) => one === several[at]) ? params : { ...params, files: translated }
}

/** 000 often leaves the action out: a file with a content was written. 001 sends small contents inside the event. */
function file(one: Fields, keep: Translation['keep']): Fields {
  let said = withHash(one)
  if (keep && typeof said.content === 'string' && said.action !== 'deleted') {
    const { content, ...rest } = said
    said = { ...rest, hash: keep(content as string, said.hash) }
  }
  if (said.action !== undefined || (said.hash === undefined && said.content === undefined)) return said
  return { ...said, action: 'modified' }
}

function attachments(params: Fields): Fields {
  if (!Array.isArray(params.attachments)) return params
  const translated = params.attachments.map((one) => (isObject(one) ? withHash(one) : one))
  return translated.every((one, at) => one === (params.attachments as unknown[])[at])
    ? params
    : { ...params, attachments: translated }
}

/** Both seeds send tool calls without ids, which readers of the log need to tell them apart. */
function toolUse(params: Fields, { newId }: Translation, method: string): [string, Fields] {
  return [method, params.toolCallId === undefined ? { ...params, toolCallId: newId('call') } : params]
}

const leftOut = ['questionId', 'kind', 'options', 'timeout', 'default', 'toolCallId', 'replaces']

/** 001 gives a question no id; and many programs send null for fields that they do not use. */
function question(params: Fields, { newId }: Translation, method: string): [string, Fields] {
  const said = without(params, leftOut)
  return [method, said.questionId === undefined ? { ...said, questionId: newId('qst') } : said]
}

/**
 * The hub has written `session_start` when this runner began, and a runner of the seeds sends another one. It must not name
 * another generation than its own, or it would fence the next runner.
 */
function sessionStart(params: Fields, { by }: Translation, method: string): [string, Fields] {
  if (by.kind !== 'runner') return [method, params]
  const { previousSeq: _, sandbox: __, ...rest } = params
  return [method, { ...rest, generation: by.generation }]
}
