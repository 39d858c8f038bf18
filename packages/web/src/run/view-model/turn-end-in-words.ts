import { plainLine } from '@farhand/protocol/text/plain-text'
import type { TurnEndItem } from '@farhand/story/items/story'
import type { Tone } from '../../ui/badge.tsx'

const ends = new Map<string, { words: string; tone: Tone }>(
  Object.entries({
    end_turn: { words: 'Done', tone: 'good' },
    cancelled: { words: 'Stopped', tone: 'plain' },
    failed: { words: 'Failed', tone: 'bad' },
    interrupted: { words: 'Interrupted', tone: 'warn' },
    limit: { words: 'Stopped at its limit', tone: 'warn' },
    refusal: { words: 'The agent refused', tone: 'warn' },
    max_tokens: { words: 'Cut short: the model reached its output limit', tone: 'warn' },
    max_turn_requests: { words: 'Stopped at its limit', tone: 'warn' },
  }),
)

/** How a turn ended. An unknown reason is shown as it is. */
export function turnEndInWords({ stopReason }: Pick<TurnEndItem, 'stopReason'>): {
  words: string
  tone: Tone
} {
  return ends.get(stopReason) ?? { words: `Ended: ${plainLine(stopReason)}`, tone: 'plain' }
}
