import type { RunView } from '@farhand/protocol/run-view'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import type { Draft } from './draft.ts'

/** What an event does to a story. `view` is how the run stands after it, `before` how it stood. */
export type Step = (draft: Draft, event: SeenEvent, view: RunView, before: RunView) => void

type Schema<Params> = { safeParse(value: unknown): { data?: Params | undefined } }

/** A step for events that say what their method should; others are passed over (W27). */
export const on =
  <Params>(
    schema: Schema<Params>,
    step: (draft: Draft, params: Params, event: SeenEvent, view: RunView, before: RunView) => void,
  ): Step =>
  (draft, event, view, before) => {
    const { data } = schema.safeParse(event.notification.params ?? {})
    if (data !== undefined) step(draft, data, event, view, before)
  }
