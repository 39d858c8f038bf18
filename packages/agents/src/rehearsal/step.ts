import type { StopReason } from '@agentclientprotocol/sdk'

/** The content of a file: a text, or a size of generated content that is easy to check. */
export type Filling = { text: string } | { lines: number } | { bytes: number }

/** A step that changes the workspace or runs a command: the user can be asked first. */
export type Action =
  | { do: 'write'; path: string; filling: Filling }
  | { do: 'append'; path: string; text: string }
  | { do: 'delete'; path: string }
  | { do: 'rename'; from: string; to: string }
  | { do: 'run'; command: string }

/** The step that one sentence of a prompt means. */
export type Step =
  | Action
  | { do: 'help' }
  | { do: 'read'; path: string }
  | { do: 'think'; ms: number }
  | { do: 'say'; text: string }
  | { do: 'say-chunks'; chunks: number; bytes: number; perSecond: number | null }
  | { do: 'plan'; entries: readonly string[] }
  | { do: 'ask'; question: string; options: readonly string[]; fallback: string | null }
  | { do: 'ask-permission'; action: Action }
  | { do: 'set-mode'; mode: string }
  | { do: 'set-title'; title: string }
  | { do: 'use'; tokens: number; dollars: number | null }
  | { do: 'fail'; message: string }
  | { do: 'stop'; reason: Exclude<StopReason, 'cancelled'> }
  | { do: 'crash'; code: number }
  | { do: 'hang'; hard: boolean }
  | { do: 'wait'; ms: number }
  | { do: 'wait-for'; path: string }
  /** The sentence is parsed each time; `{n}` in it is the number of the repetition. */
  | { do: 'repeat'; times: number; sentence: string }
  | { do: 'remember'; key: string; value: string }
  | { do: 'recall'; key: string }
  | { do: 'rate-limit'; ms: number }
  | { do: 'unknown'; words: string }

/** The step itself, if it is an action; otherwise null. */
export function asAction(step: Step): Action | null {
  switch (step.do) {
    case 'write':
    case 'append':
    case 'delete':
    case 'rename':
    case 'run':
      return step
    default:
      return null
  }
}

/** The text of a filling; the same filling gives the same text. */
export function wordsOf(filling: Filling): string {
  if ('text' in filling) return filling.text
  if ('lines' in filling) return Array.from({ length: filling.lines }, (_, at) => `line ${at + 1}\n`).join('')
  const line = 'The rehearsal fills this file with the same line again and again.\n'
  return line.repeat(Math.ceil(filling.bytes / line.length)).slice(0, filling.bytes)
}
