import { type EventHandlers, unparsed } from '@farhand/protocol/events/event-handlers'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { StoryDraft } from './story-draft.ts'

/** What an event does to a story. `view` is the state of the run after the event, `before` the state before it. */
export type Step = (draft: StoryDraft, event: SeenEvent, view: RunView, before: RunView) => void

export type Steps = EventHandlers<StoryDraft, [event: SeenEvent, view: RunView, before: RunView]>

/** A step that parses its event itself. */
export const rawStep = (step: Step) =>
  unparsed((draft: StoryDraft, _: object, event: SeenEvent, view: RunView, before: RunView) =>
    step(draft, event, view, before),
  )
