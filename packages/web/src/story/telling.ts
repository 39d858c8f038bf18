import { handledBy } from '@farhand/protocol/events/event-handlers'
import { emptyRunView, type RunView, runView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Draft } from './draft.ts'
import type { Story } from './story.ts'
import { agentSteps } from './told-agent.ts'
import { fileSteps } from './told-files.ts'
import { markSteps } from './told-marks.ts'
import { messageSteps } from './told-messages.ts'
import { questionSteps } from './told-questions.ts'
import { reportSteps } from './told-reports.ts'
import { saidItems } from './told-rewinds.ts'
import { shellSteps } from './told-shells.ts'
import { toolSteps } from './told-tools.ts'
import { wordSteps } from './told-words.ts'

/** What each event does to a story; the others, and those of a newer version, are nothing to read (W27). */
const step = handledBy<Draft, [SeenEvent, RunView, RunView], void>({
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
export class Telling {
  readonly #draft = new Draft()
  #view = emptyRunView
  #lastId = 0
  #story: Story | null = null

  /** Where the run was made to work: its log tells only where it was moved to. What was told already stays as it is. */
  set madeIn(sandbox: string | null) {
    this.#draft.madeIn = sandbox
  }

  take(event: SeenEvent): void {
    const before = this.#view
    this.#view = runView(before, event)
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
