import type { Story } from '@farhand/story/items/story'
import type { RunActions } from '../outbox/actions.ts'
import { shownWaiting } from '../run/view-model/shown-items.ts'
import { Composer } from './composer.tsx'
import type { Draft } from './drafts.ts'

type Props = {
  run: string
  story: Story
  actions: RunActions
  isAway: boolean
  isStopAbove: boolean
  refill: Draft | null
  files: () => Promise<readonly string[]>
  fetchBlob: (hash: string) => Promise<Uint8Array>
}

/**
 * The composer of a run. It passes on only the parts of the story that the composer shows: rendering it for each of
 * fifty events a second would make typing slow. `files` and `fetchBlob` have to be stable functions.
 */
export function RunComposer({ run, story, actions, isAway, isStopAbove, refill, files, fetchBlob }: Props) {
  const { agent, queue, view } = story
  return (
    <Composer
      key={run}
      {...{ run, agent, queue, actions, isAway, isStopAbove, refill, files, fetchBlob }}
      shownAbove={shownWaiting(story)}
      turn={view.openTurns[0]?.messageId ?? null}
      status={view.status}
      mode={view.mode}
      policy={view.policy}
    />
  )
}
