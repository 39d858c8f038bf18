import type { Deeds } from '../outbox/actions.ts'
import { shownWaiting } from '../run/view-model/shown-items.ts'
import type { Story } from '../story/story.ts'
import { Composer } from './composer.tsx'
import type { Refill } from './refill.ts'

type Props = {
  run: string
  story: Story
  deeds: Deeds
  isAway: boolean
  isStopAbove: boolean
  refill: Refill | null
  files: () => Promise<readonly string[]>
  onWhole: (hash: string) => Promise<Uint8Array>
}

/**
 * The composer of a run. It takes from the story what it shows and nothing else: drawn anew for each of fifty events a
 * second, it would be slow to type in. `files` and `onWhole` have to be the same functions each time.
 */
export function RunComposer({ run, story, deeds, isAway, isStopAbove, refill, files, onWhole }: Props) {
  const { agent, queue, view } = story
  return (
    <Composer
      key={run}
      {...{ run, agent, queue, deeds, isAway, isStopAbove, refill, files, onWhole }}
      shownAbove={shownWaiting(story)}
      turn={view.openTurns[0]?.messageId ?? null}
      status={view.status}
      mode={view.mode}
      policy={view.policy}
    />
  )
}
