import { foldTaskState, newTaskState } from '@farhand/protocol/delegated/task-state'
import { handledBy } from '@farhand/protocol/events/event-handlers'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Story, StoryTask } from '../items/story.ts'
import { agentSteps } from './agent-steps.ts'
import { fileSteps } from './file-steps.ts'
import { markSteps } from './mark-steps.ts'
import { messageSteps } from './message-steps.ts'
import { questionSteps } from './question-steps.ts'
import { reportSteps } from './report-steps.ts'
import { currentItems } from './rewind-steps.ts'
import { shellSteps } from './shell-steps.ts'
import { StoryDraft } from './story-draft.ts'
import { taskResult } from './task-result.ts'
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

/**
 * The fold of a log into its story. Give it the events in order; `story` is the result so far, and the same object
 * until something changes.
 */
export class StoryFold {
  readonly draft = new StoryDraft()
  #view = emptyRunView
  #task: StoryTask = { ...newTaskState, result: null }
  #lastId = 0
  #story: Story | null = null

  /** Where the run was created to work: its log only tells where it moved. Items that exist already do not change. */
  set madeIn(sandbox: string | null) {
    this.draft.madeIn = sandbox
  }

  take(event: SeenEvent): void {
    const before = this.#view
    this.#view = foldRunView(before, event)
    this.draft.conversationPlace.take(event, this.#view)
    this.#lastId = event.id
    this.#story = null
    step(this.draft, event.notification, event, this.#view, before)
    const task = foldTaskState(this.#task, event, before, this.#view)
    if (task === this.#task) return
    const result = task.ended ? taskResult(this.draft.items, task, event) : null
    this.#task = { ...task, result }
  }

  get story(): Story {
    this.#story ??= this.#told()
    return this.#story
  }

  /** The state of the run. */
  get view(): RunView {
    return this.#view
  }

  /** The state of the run as a task that was delegated. */
  get task(): StoryTask {
    return this.#task
  }

  #told(): Story {
    this.draft.listFiles()
    const { queue, agent, usage } = this.draft
    return {
      items: [...currentItems(this.draft), ...queue],
      view: this.#view,
      task: this.#task,
      lastId: this.#lastId,
      agent,
      queue,
      usage,
    }
  }
}
