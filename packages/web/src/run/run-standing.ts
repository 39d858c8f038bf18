import { isAnswerable } from '@farhand/protocol/open-question'
import type { Tone } from '../look/badge.tsx'
import type { Item, Story, TurnEndItem } from '../story/story.ts'
import { turnEndInWords } from './turn-end-in-words.ts'

/** How the run stands, in a word or two; `since`: where it matters how long already. */
export type RunStanding = { words: string; tone: Tone; since: string | null; isWorking: boolean }

const still = (words: string, tone: Tone = 'plain'): RunStanding => ({
  words,
  tone,
  since: null,
  isWorking: false,
})

/** How a run stands, by its story. A question comes first: nothing moves until somebody answers. */
export function runStanding({ view, items }: Pick<Story, 'view' | 'items'>): RunStanding {
  if (view.status === 'failed') return still('Failed', 'bad')
  if (view.status === 'closed') return still('Closed')
  const asked = view.openQuestions.filter((question) => isAnswerable(question, view.generation)).length
  const turn = view.openTurns[0]
  const since = turn ? begunAt(items, turn.messageId) : null
  if (asked > 0)
    return {
      words: asked === 1 ? 'Needs you' : `Needs you: ${asked} questions`,
      tone: 'warn',
      since: null,
      isWorking: turn !== undefined,
    }
  if (view.status === 'paused') return still('Paused')
  if (view.closing) return { ...still('Closing'), isWorking: true }
  if (view.status === 'provisioning') return { ...still('Starting a sandbox', 'accent'), isWorking: true }
  if (turn) return { words: 'Working', tone: 'accent', since, isWorking: true }
  if (view.status === 'queued')
    return still(items.length === 0 ? 'Not begun' : 'Waiting for a sandbox', 'accent')
  if (view.status === 'asleep') return still('Asleep')
  const end = items.findLast((item): item is TurnEndItem => item.kind === 'turn-end')
  if (!end) return still('Ready')
  const { words, tone } = turnEndInWords(end)
  return still(words, tone)
}

/** When the turn of a message began: not before it was said, and not before the turn ahead of it was over. */
function begunAt(items: readonly Item[], messageId: number): string | null {
  const message = items.findLast((item) => item.kind === 'message' && item.id === messageId)
  const before = items.findLast((item) => item.kind === 'turn-end')
  if (!message) return before?.at ?? null
  return before && before.at > message.at ? before.at : message.at
}
