import { handledBy } from '@farhand/protocol/events/event-handlers'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { noCuts } from '../items/cut-text.ts'
import type { Item, Story } from '../items/story.ts'
import { agentSteps } from './agent-steps.ts'
import { fileSteps } from './file-steps.ts'
import { markSteps } from './mark-steps.ts'
import { messageSteps } from './message-steps.ts'
import { questionSteps } from './question-steps.ts'
import { reportSteps } from './report-steps.ts'
import { currentItems, isCurrent } from './rewind-steps.ts'
import { shellSteps } from './shell-steps.ts'
import { StoryDraft } from './story-draft.ts'
import { toolSteps } from './tool-steps.ts'
import { wordSteps } from './word-steps.ts'

/** The steps for each event. Unknown events, also of newer versions, change nothing (W27). */
const step = handledBy<StoryDraft, [SeenEvent, RunView, RunView], void>({
  ...messageSteps,
  ...wordSteps,
  ...toolSteps,
  ...questionSteps,
  ...shellSteps,
  ...reportSteps,
  ...fileSteps,
  ...agentSteps,
  ...markSteps,
})

const forgotten: Item = { kind: 'notice', id: 0, at: '', level: 'info', text: '', cuts: noCuts, until: null }

/**
 * The fold of a log into its story. Give it the events in order; `story` is the result so far, and the same object
 * until something changes.
 */
export class StoryFold {
  readonly #draft = new StoryDraft()
  #view = emptyRunView
  #lastId = 0
  #forgotten = 0
  #story: Story | null = null

  /** Where the run was created to work: its log only tells where it moved. Items that exist already do not change. */
  set madeIn(sandbox: string | null) {
    this.#draft.madeIn = sandbox
  }

  take(event: SeenEvent): void {
    const before = this.#view
    this.#view = foldRunView(before, event)
    this.#draft.conversationPlace.take(event, this.#view)
    this.#lastId = event.id
    this.#story = null
    step(this.#draft, event.notification, event, this.#view, before)
  }

  get story(): Story {
    this.#story ??= this.#told()
    return this.#story
  }

  /** The state of the run. */
  get view(): RunView {
    return this.#view
  }

  /**
   * The items that have changed since this was last called, and the waiting messages: for a reader that takes each event as
   * it comes, which a list of all items for each would slow down.
   */
  takeChanged(): Item[] {
    const draft = this.#draft
    draft.listFiles()
    const changed = [...draft.changed].sort((a, b) => a - b).map((at) => draft.items[at]!)
    draft.changed.clear()
    return [...changed.filter((item) => isCurrent(draft, item)), ...draft.queue]
  }

  /**
   * Forgets all items but the newest, and messages, whose turns end later: for a reader that runs for days. Later events no
   * longer change what is forgotten.
   */
  keepNewest(most: number): void {
    const { items } = this.#draft
    for (; this.#forgotten < items.length - most; this.#forgotten += 1)
      if (items[this.#forgotten]!.kind !== 'message') items[this.#forgotten] = forgotten
  }

  #told(): Story {
    this.#draft.listFiles()
    const { queue, agent, usage } = this.#draft
    return {
      items: [...currentItems(this.#draft), ...queue],
      view: this.#view,
      lastId: this.#lastId,
      agent,
      queue,
      usage,
    }
  }
}
