import type { AgentAsk, AgentUpdate } from '../agent/agent.ts'

type Fields = Readonly<Record<string, unknown>>

/** Enough for any turn; what is forgotten is told once more. */
const mostTools = 10_000

/** Which tools an agent has told of by itself, so that what it wants permission for is seen by those who are asked. */
export class ToldTools {
  /** By the tool's id: whether what it is about to do was told too. */
  readonly #told = new Map<string, boolean>()
  readonly #refused = new Set<string>()

  take(update: AgentUpdate): void {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return
    const id = idOf(update)
    if (id !== null) this.#add(id, (this.#told.get(id) ?? false) || saysWhat(update))
  }

  /** What a request for permission tells of its tool and nobody has told before, as the update that was left out. */
  untold({ method, params }: Pick<AgentAsk, 'method' | 'params'>): AgentUpdate | null {
    const { toolCall: tool } = params
    if (method !== 'session/request_permission' || !isFields(tool)) return null
    const id = idOf(tool)
    const told = id === null ? null : this.#told.get(id)
    if (id === null || told || (told === false && !saysWhat(tool))) return null
    this.#add(id, true)
    const _meta = { ...(isFields(tool._meta) && tool._meta), 'farhand/askedFor': true }
    const said = Object.fromEntries(Object.entries(tool).filter(([, value]) => value !== null))
    if (told === false) return { ...said, sessionUpdate: 'tool_call_update', _meta }
    return { title: 'A tool', status: 'pending', ...said, sessionUpdate: 'tool_call', _meta }
  }

  /** The agent was answered so: what it may not do will not have been done. */
  answered({ params }: Pick<AgentAsk, 'params'>, result: unknown): void {
    const id = isFields(params.toolCall) ? idOf(params.toolCall) : null
    if (id !== null && isRefusal(params.options, result)) this.#refused.add(id)
  }

  isRefused(toolCallId: string): boolean {
    return this.#refused.has(toolCallId)
  }

  /** The turn is over, or the agent is gone: so are its tools. */
  forget(): void {
    this.#told.clear()
    this.#refused.clear()
  }

  #add(id: string, saysWhat: boolean): void {
    this.#told.set(id, saysWhat)
    if (this.#told.size > mostTools) this.#told.delete(this.#told.keys().next().value!)
  }
}

function isRefusal(options: unknown, result: unknown): boolean {
  const outcome = isFields(result) && isFields(result.outcome) ? result.outcome : {}
  if (outcome.outcome !== 'selected') return outcome.outcome === 'cancelled'
  const isChosen = (one: unknown) => isFields(one) && one.optionId === outcome.optionId
  const option: unknown = Array.isArray(options) ? options.find(isChosen) : null
  return isFields(option) && String(option.kind).startsWith('reject')
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const idOf = ({ toolCallId }: Fields) =>
  typeof toolCallId === 'string' && toolCallId !== '' ? toolCallId : null

const saysWhat = ({ content }: Fields) => Array.isArray(content) && content.length > 0
