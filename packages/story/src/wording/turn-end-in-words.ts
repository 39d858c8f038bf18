import { plainLine } from '@farhand/protocol/text/plain-text'
import type { TurnEndItem } from '../items/story.ts'

/** `result`: what came of the run, in a word or two, if the list of runs says it shorter. */
type TurnEndWords = { words: string; result?: string; tone: 'good' | 'plain' | 'warn' | 'bad' }

const ends = new Map<string, TurnEndWords>(
  Object.entries({
    end_turn: { words: 'Done', tone: 'good' },
    cancelled: { words: 'Stopped', tone: 'plain' },
    failed: { words: 'The turn failed', result: 'Failed', tone: 'bad' },
    interrupted: {
      words: 'Interrupted: the agent ended twice over this message',
      result: 'Interrupted',
      tone: 'warn',
    },
    limit: { words: 'Stopped at its limit', tone: 'warn' },
    refusal: { words: 'The agent refused', tone: 'warn' },
    max_tokens: { words: 'Cut short: the model reached its output limit', result: 'Cut short', tone: 'warn' },
    max_turn_requests: { words: 'Stopped at its limit of model requests', tone: 'warn' },
  }),
)

/** How a turn ended. An unknown reason is shown as it is. */
export const turnEndInWords = ({ stopReason }: Pick<TurnEndItem, 'stopReason'>): TurnEndWords =>
  ends.get(stopReason) ?? { words: `Ended: ${plainLine(stopReason)}`, tone: 'plain' }
