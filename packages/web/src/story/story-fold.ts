import { handledBy } from '@farhand/protocol/events/event-handlers'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { agentSteps } from './agent-steps.ts'
import { fileSteps } from './file-steps.ts'
import { markSteps } from './mark-steps.ts'
import { messageSteps } from './message-steps.ts'
import { questionSteps } from './question-steps.ts'
import { reportSteps } from './report-steps.ts'
import { saidItems } from './rewind-steps.ts'
import { shellSteps } from './shell-steps.ts'
import type { Story } from './story.ts'
import { StoryDraft } from './story-draft.ts'
import { toolSteps } from './tool-steps.ts'
import { wordSteps } from './word-steps.ts'

/** What each event does to a story; the others, and those of a newer version, are nothing to read (W27). */
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

/**
 * The fold of a log into what people read of it. It takes the log's events in their order; `story` is how things stand
 * after the last one, and is the same object until there is news.
 */
export class StoryFold {
  readonly #draft = new StoryDraft()
  #view = emptyRunView
  #lastId = 0
  #story: Story | null = null

  /** Where the run was made to work: its log tells only where it was moved to. What was told already stays as it is. */
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

  #told(): Story {
    this.#draft.listFiles()
    const { queue, agent, usage } = this.#draft
    return {
      items: [...saidItems(this.#draft), ...queue],
      view: this.#view,
      lastId: this.#lastId,
      agent,
      queue,
      usage,
    }
  }
}
