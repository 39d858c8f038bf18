/** What the played agent does, one after the other. */
export type Step =
  | { is: 'update'; update: Record<string, unknown> }
  | { is: 'write'; path: string; text: string; encoding?: 'base64' }
  | { is: 'ask'; method: string; params: Record<string, unknown> }
  | { is: 'fail'; words: string }
  | { is: 'pause'; ms: number }
  /** The turn goes on until the user cancels it. */
  | { is: 'stay' }

export type Turn = { message: string; steps: readonly Step[]; usage?: Record<string, number> }

export type Scenes = {
  project: string
  title: string
  agent: string
  /** How long ago it was last heard of, for the list. */
  minutesAgo: number
  /** What is in the workspace before anything is said. */
  files?: Readonly<Record<string, string>>
  offers?: Record<string, unknown>
  turns: readonly Turn[]
  /** What the last turn comes to. */
  ends: 'done' | 'asks' | 'works' | 'rests'
}

const update = (update: Record<string, unknown>): Step => ({ is: 'update', update })
const content = (text: string) => [{ type: 'content', content: { type: 'text', text } }]
let calls = 0

export const thinks = (text: string): Step =>
  update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } })

export const says = (text: string): Step =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

/** A plan of which so many are done, and the next is under way. */
export const plans = (entries: readonly string[], done: number): Step =>
  update({
    sessionUpdate: 'plan',
    entries: entries.map((content, at) => ({
      content,
      priority: 'medium',
      status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending',
    })),
  })

/** A tool, from its beginning to its end, which takes as long as is said. */
function uses(about: Record<string, unknown>, end: Record<string, unknown>, ms = 0): Step[] {
  const toolCallId = `call_${++calls}`
  return [
    update({ sessionUpdate: 'tool_call', toolCallId, status: 'in_progress', ...about }),
    { is: 'pause', ms },
    update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...end }),
  ]
}

export const searches = (title: string, found: string) =>
  uses({ title, kind: 'search', rawInput: { pattern: title } }, { content: content(found) })

export const reads = (path: string, text: string) =>
  uses({ title: path, kind: 'read', locations: [{ path }] }, { content: content(text) })

export const edits = (path: string, oldText: string | null, newText: string): Step[] => {
  const about = { title: path, kind: 'edit', locations: [{ path }] }
  const steps = uses(about, { content: [{ type: 'diff', path, oldText, newText }] }, 40)
  return [...steps, { is: 'write', path, text: newText }]
}

export const runs = (command: string, output: string, exitCode = 0, ms = 1400) =>
  uses(
    { title: command, kind: 'execute', rawInput: { command } },
    { content: content(output), rawOutput: { exitCode }, status: exitCode === 0 ? 'completed' : 'failed' },
    ms,
  )

/** Asks whether it may run a command. */
export function asksToRun(command: string, always: string): Step[] {
  const call = { toolCallId: `call_${++calls}`, title: command, kind: 'execute', rawInput: { command } }
  return [
    update({ sessionUpdate: 'tool_call', status: 'pending', ...call }),
    {
      is: 'ask',
      method: 'session/request_permission',
      params: {
        toolCall: call,
        options: [
          { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
          { optionId: 'always', name: always, kind: 'allow_always' },
          { optionId: 'no', name: 'Reject', kind: 'reject_once' },
        ],
      },
    },
  ]
}

/** Asks for what only a person can decide. */
export const asks = (message: string, properties: Record<string, unknown>, required: string[]): Step => ({
  is: 'ask',
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
})

export const spends = (used: number, size: number, dollars: number): Step =>
  update({ sessionUpdate: 'usage_update', used, size, cost: { amount: dollars, currency: 'USD' } })
