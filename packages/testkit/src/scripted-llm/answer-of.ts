import type { Conversation } from './conversation.ts'
import { instanceOf } from './instance-of.ts'
import { type Step, stepsOf } from './steps-of.ts'
import { askCall, shellCall, type ToolCall, writeCall } from './tool-calls.ts'

/** What a model does next. */
export type Answer =
  | { kind: 'said'; text: string; call: ToolCall | null }
  /** Word after word until the agent hangs up. */
  | { kind: 'endless' }
  | { kind: 'refused'; status: number; message: string }

const mostQuoted = 400

/**
 * The answer of a scripted model: one call for each line of the user's text that asks for one, then a word on the result.
 * `triesBefore`: how often the same request came before.
 */
export function answerOf(conversation: Conversation, triesBefore = 0): Answer {
  const { userText, results, tools, form } = conversation
  if (form) return said(JSON.stringify(instanceOf(form)))
  // Without tools it is no turn: the agent wants a title, a summary, or a word on something.
  if (tools.length === 0) return said('A scripted title')
  const steps = stepsOf(userText)
  if (steps.length === 0) return said(`You said: ${userText.slice(0, mostQuoted)}`)
  return next(remaining(steps, results.length), conversation, triesBefore)
}

/** Steps that are still to be done when so many tools have answered. */
function remaining(steps: readonly Step[], answered: number): Step[] {
  let calls = 0
  return steps.filter((step) => {
    const isDone = calls < answered
    if (isCall(step)) calls += 1
    return !isDone
  })
}

function next(steps: readonly Step[], conversation: Conversation, triesBefore: number): Answer {
  const { results, tools } = conversation
  const words: string[] = []
  for (const step of steps) {
    if (step.do === 'say') words.push(step.text)
    else if (step.do === 'recall') words.push(recalled(step.key, conversation))
    else if (step.do === 'stream') return { kind: 'endless' }
    else if (step.do === 'refuse') {
      if (triesBefore < step.times)
        return { kind: 'refused', status: step.status, message: `refused with ${step.status} as scripted` }
    } else {
      const call = callOf(step, tools)
      if (call) return said(words.join('\n'), call)
      return said([...words, `There is no tool to ${step.do} with.`].join('\n'))
    }
  }
  const last = results.at(-1)
  if (last !== undefined) words.push(`The tool said: ${last.slice(0, mostQuoted)}`)
  return said(words.join('\n') || 'Done.')
}

/** The last value that any message gave for this key. */
function recalled(key: string, { heard }: Conversation): string {
  const said = heard.toLowerCase().split(`${key.toLowerCase()} is `)
  return said.length > 1
    ? (/^[\w-]+/.exec(said.at(-1)!)?.[0] ?? 'nothing')
    : `No message said what ${key} is.`
}

function callOf(step: Step, tools: Conversation['tools']): ToolCall | null {
  if (step.do === 'write') return writeCall(tools, step.path, step.content)
  if (step.do === 'run') return shellCall(tools, step.command)
  return askCall(tools)
}

const isCall = (step: Step) => step.do === 'write' || step.do === 'run' || step.do === 'ask'

const said = (text: string, call: ToolCall | null = null): Answer => ({ kind: 'said', text, call })
