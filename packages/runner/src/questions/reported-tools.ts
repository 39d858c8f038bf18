import { bothEnds } from '@farhand/protocol/text/plain-text'
import { isObject } from '@farhand/protocol/wire/is-object'
import { isWithin } from '@farhand/protocol/wire/json-within'
import type { AgentAsk, AgentUpdate } from '../agent/agent.ts'
import { toolInput } from './tool-input.ts'

type Fields = Readonly<Record<string, unknown>>

/** Enough for any turn; a forgotten tool is reported once more. */
const mostTools = 10_000
/** The fields that a question shows are kept for the newest tools only: agents ask right after they report a tool. */
const mostRemembered = 64
const mostOfInput = 131_072
const mostOfText = 40_000
const shownFields = ['title', 'name', 'kind', 'rawInput', 'locations', 'content'] as const

/** The tool calls that an agent has reported, so that users see the tool for which it asks permission. */
export class ReportedTools {
  /** By tool id: whether its content was reported, too. */
  readonly #told = new Map<string, boolean>()
  readonly #refused = new Set<string>()
  readonly #fields = new Map<string, Fields>()

  take(update: AgentUpdate): void {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return
    const id = idOf(update)
    if (id === null) return
    this.#add(id, (this.#told.get(id) ?? false) || saysWhat(update))
    this.#remember(id, update)
  }

  /**
   * The request, completed with the tool's fields that the agent reported before and leaves out now. Some agents
   * shorten the command in the request, and a user would allow what they cannot see.
   */
  whole<Ask extends Pick<AgentAsk, 'method' | 'params'>>(ask: Ask): Ask {
    const { toolCall: tool } = ask.params
    if (ask.method !== 'session/request_permission' || !isObject(tool)) return ask
    const told = this.#fields.get(idOf(tool) ?? '')
    if (!told) return ask
    const said = Object.entries(tool).filter(([, value]) => saysSomething(value))
    return { ...ask, params: { ...ask.params, toolCall: { ...told, ...Object.fromEntries(said) } } }
  }

  /** The part of a permission request that no update has reported before, as the missing update. */
  untold({ method, params }: Pick<AgentAsk, 'method' | 'params'>): AgentUpdate | null {
    const { toolCall: tool } = params
    if (method !== 'session/request_permission' || !isObject(tool)) return null
    const id = idOf(tool)
    const told = id === null ? null : this.#told.get(id)
    if (id === null || told || (told === false && !saysWhat(tool))) return null
    this.#add(id, true)
    const _meta = { ...(isObject(tool._meta) && tool._meta), 'farhand/askedFor': true }
    const said = Object.fromEntries(Object.entries(tool).filter(([, value]) => value !== null))
    if (told === false) return { ...said, sessionUpdate: 'tool_call_update', _meta }
    return { title: 'A tool', status: 'pending', ...said, sessionUpdate: 'tool_call', _meta }
  }

  /** Everything known about the tool of this update. */
  known(update: AgentUpdate): Fields {
    return { ...this.#fields.get(idOf(update) ?? ''), ...update }
  }

  /** Notes the answer that the agent got: a refused tool will not have been run. */
  answered({ params }: Pick<AgentAsk, 'params'>, result: unknown): void {
    const id = isObject(params.toolCall) ? idOf(params.toolCall) : null
    if (id !== null && isRefusal(params.options, result)) this.#refused.add(id)
  }

  isRefused(toolCallId: string): boolean {
    return this.#refused.has(toolCallId)
  }

  /** Forgets all tools: the turn is over, or the agent has ended. */
  forget(): void {
    this.#told.clear()
    this.#refused.clear()
    this.#fields.clear()
  }

  #remember(id: string, update: AgentUpdate): void {
    const told: Fields = { ...update, rawInput: toolInput(update.rawInput, update.content) }
    const said = shownFields.flatMap((name) =>
      saysSomething(told[name]) ? [[name, kept(told[name])] as const] : [],
    )
    const fields = { ...this.#fields.get(id), ...Object.fromEntries(said) }
    this.#fields.delete(id)
    this.#fields.set(id, fields)
    if (this.#fields.size > mostRemembered) this.#fields.delete(this.#fields.keys().next().value!)
  }

  #add(id: string, saysWhat: boolean): void {
    this.#told.set(id, saysWhat)
    if (this.#told.size > mostTools) this.#told.delete(this.#told.keys().next().value!)
  }
}

function isRefusal(options: unknown, result: unknown): boolean {
  const outcome = isObject(result) && isObject(result.outcome) ? result.outcome : {}
  if (outcome.outcome !== 'selected') return outcome.outcome === 'cancelled'
  const isChosen = (one: unknown) => isObject(one) && one.optionId === outcome.optionId
  const option: unknown = Array.isArray(options) ? options.find(isChosen) : null
  return isObject(option) && String(option.kind).startsWith('reject')
}

/** Agents send null, an empty list or an empty object for missing values. */
const saysSomething = (value: unknown) =>
  typeof value === 'object' ? value !== null && Object.keys(value).length > 0 : value !== undefined

/** The value, small enough to be kept: of a large object only its texts, and of these both ends. */
function kept(value: unknown): unknown {
  if (typeof value === 'string') return bothEnds(value, mostOfText)
  if (typeof value !== 'object' || value === null || isWithin(value, mostOfInput)) return value
  if (Array.isArray(value)) return []
  const texts = Object.entries(value).filter((one): one is [string, string] => typeof one[1] === 'string')
  return Object.fromEntries(texts.slice(0, 20).map(([name, text]) => [name, bothEnds(text, mostOfText)]))
}

const idOf = ({ toolCallId }: Fields) =>
  typeof toolCallId === 'string' && toolCallId !== '' ? toolCallId : null

const saysWhat = ({ content }: Fields) => Array.isArray(content) && content.length > 0
