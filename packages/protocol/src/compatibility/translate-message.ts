import { methods } from '../methods/methods.ts'
import { type Author, notification } from '../wire/event.ts'
import { wireName } from '../wire/wire-names.ts'

type Fields = Record<string, unknown>

/** What a translation may need besides the message itself. */
export type Translation = {
  by: Author
  /** An id for something that its writer gave none. */
  newId: (prefix: string) => string
  /** Stores the content of a file that came inside its event, and gives the name of the blob; without it contents stay where they are. */
  keep?: ((content: string, hash: unknown) => string) | undefined
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A message as seeds 000 and 001 write it, in the words of the log (W63). Everything that is ours already comes back as it is,
 * the same object; what is neither is left for the checks that follow, whose complaint names the field.
 */
export function translateMessage(value: unknown, translation: Translation): unknown {
  const said = unwrapped(value)
  if (!isObject(said) || typeof said.method !== 'string') return said
  const translate = translations.get(said.method)
  const params = said.params ?? {}
  if (!translate || !isObject(params)) return said
  const [method, translated] = translate(params, translation, said.method)
  return method === said.method && translated === params ? said : { ...said, method, params: translated }
}

/** The stored envelope of 001 around a notification, and the events without JSON-RPC of its agent server. */
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

const translations = new Map<string, Translate>([
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

/** A reader of server-sent events has their ids as text, and writes them so. */
function ack(params: Fields): Fields {
  const said = without(params, ['id'])
  const digits = typeof said.id === 'string' ? /^(?:evt_)?(\d{1,15})$/.exec(said.id)?.[1] : undefined
  return digits === undefined ? said : { ...said, id: Number(digits) }
}

/** What is said, where 001 calls it `content`, or sends ACP's block of text and nothing beside it. */
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

/** `setMode` of 000 is about the run, ACP's about the agent; the latter calls it `modeId`. */
function setMode(params: Fields, _: Translation, method: string): [string, Fields] {
  const isOfRun =
    params.modeId === undefined && (params.mode === 'interactive' || params.mode === 'background')
  return [isOfRun ? wireName('mode_change') : method, params]
}

const bareHash = /^[0-9a-fA-F]{64}$/

/** The name of a blob; one that is only the digits gets the prefix, everything else is left for the checks. */
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

/** 000 often leaves the action out: what has a content was written. 001 sends small contents along. */
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

/** Both seeds name tool calls and say nothing of ids; readers of ours tell tools apart by them. */
function toolUse(params: Fields, { newId }: Translation, method: string): [string, Fields] {
  return [method, params.toolCallId === undefined ? { ...params, toolCallId: newId('call') } : params]
}

const leftOut = ['questionId', 'kind', 'options', 'timeout', 'default', 'toolCallId', 'replaces']

/** 001 gives a question no id; and what many programs write for nothing is null. */
function question(params: Fields, { newId }: Translation, method: string): [string, Fields] {
  const said = without(params, leftOut)
  return [method, said.questionId === undefined ? { ...said, questionId: newId('qst') } : said]
}

/**
 * The hub has written `session_start` when this runner began. A runner that says it again says nothing new: it must not name
 * another generation than its own, or it would shut out the next one.
 */
function sessionStart(params: Fields, { by }: Translation, method: string): [string, Fields] {
  if (by.kind !== 'runner') return [method, params]
  const { previousSeq: _, sandbox: __, ...rest } = params
  return [method, { ...rest, generation: by.generation }]
}
