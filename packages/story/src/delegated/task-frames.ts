import type { TaskFrame } from '@farhand/protocol/delegated/delegated-tasks'
import { plainText, shortened } from '@farhand/protocol/text/plain-text'
import type { DelegatedTaskId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { takeFresh } from '../fold/changed-items.ts'
import type { FreshPart } from '../fold/fresh-parts.ts'
import type { StoryFold } from '../fold/story-fold.ts'
import { shownText } from '../items/cut-text.ts'
import type { Item, QuestionItem, StoryTask, ToolItem } from '../items/story.ts'
import { isRejected, toolKindInWords, toolOutput, toolTitle } from '../wording/tool-in-words.ts'
import { inputNeeded } from './input-needed.ts'
import { ShortStory } from './short-story.ts'
import { progressOf } from './task-card.ts'

/** Of so many tool calls it is remembered that their ends were told. */
const mostCalls = 5000
const mostSummary = 500

/** A frame before it has the number of its event. */
type Told = TaskFrame extends infer Frame ? (Frame extends TaskFrame ? Omit<Frame, 'seq'> : never) : never

/**
 * The frames of a delegated task, as a rendering of the story of its run. Give it every event of the log in order, from the first on: what
 * it returns for an event depends on the log up to there alone, so a reader can continue after any event.
 */
export class TaskFrames {
  readonly #story = new ShortStory()
  readonly #task: DelegatedTaskId
  /** For each tool call whether its end was told. */
  readonly #calls = new Map<string, { id: number; isOver: boolean }>()

  constructor(task: DelegatedTaskId) {
    this.#task = task
    takeFresh(this.story)
  }

  get story(): StoryFold {
    return this.#story.fold
  }

  /** The frames of one event; none once the task is over. */
  take(event: SeenEvent): TaskFrame[] {
    const before = this.story.task
    if (before.ended) return []
    return this.#story.take(event, (story) => this.#told(story, before, event.id))
  }

  #told(story: StoryFold, before: StoryTask, seq: number): TaskFrame[] {
    const { task } = story
    const told: Told[] = []
    const hasStatus = seq === 1 || task.status !== before.status
    const status = { type: 'acp_task_status', data: { task_id: this.#task, status: task.status } } as const
    if (hasStatus && !task.ended) told.push(status)
    for (const { item, fresh } of takeFresh(story)) told.push(...this.#ofItem(item, fresh, seq))
    if (task.ended) told.push(status)
    // Readers that wait for the result stop here, so it is the last.
    if (task.status === 'completed')
      told.push({
        type: 'acp_task_completed',
        data: { task_id: this.#task, result_summary: task.result ?? '' },
      })
    return told.map((frame) => ({ ...frame, seq }) as TaskFrame)
  }

  #ofItem(item: Item, fresh: FreshPart | null, at: number): Told[] {
    switch (item.kind) {
      case 'words':
      case 'thought': {
        // An item that changes without new text, as at its end, has nothing to tell.
        const text = fresh && 'text' in fresh ? fresh.text : item.id === at ? shownText(item) : ''
        if (text === '') return []
        return item.kind === 'words'
          ? [{ type: 'acp_text_delta', data: { delta: text } }]
          : [{ type: 'acp_thinking', data: { text } }]
      }
      case 'tool':
        return item.report === null ? this.#ofTool(item, at) : []
      case 'plan':
        return item.steps.length === 0 ? [] : [{ type: 'acp_progress', data: progressOf(item.steps) }]
      case 'question':
        return asked(item, at)
      default:
        return []
    }
  }

  #ofTool(item: ToolItem, at: number): Told[] {
    const told: Told[] = []
    const known = this.#calls.get(item.call)
    // Another agent may use an id again; a call that was forgotten while it ran is still the same.
    const isNew = !known || (known.isOver && known.id !== item.id && item.id >= this.story.draft.agentSince)
    const call = isNew ? { id: item.id, isOver: false } : known
    const named = { tool: toolKindInWords(item.what), call_id: item.call }
    if (isNew) {
      this.#calls.set(item.call, call)
      told.push({
        type: 'acp_tool_start',
        data: { ...named, input_summary: shortened(toolTitle(item), mostSummary) },
      })
    }
    if (item.question) told.push(...asked(item.question, at))
    if (item.endedAt !== null && !call.isOver) {
      call.isOver = true
      told.push({ type: 'acp_tool_end', data: { ...named, ...endOf(item) } })
      this.#forgetCalls()
    }
    return told
  }

  #forgetCalls(): void {
    if (this.#calls.size <= mostCalls) return
    for (const [call, { isOver }] of this.#calls)
      if (isOver && this.#calls.size > mostCalls) this.#calls.delete(call)
  }
}

const asked = ({ asked, state }: QuestionItem, at: number): Told[] =>
  asked.eventId === at && state === 'open' ? [{ type: 'acp_input_needed', data: inputNeeded(asked) }] : []

function endOf(item: ToolItem) {
  const failed = item.status === 'failed'
  const text = item.content.flatMap((one) =>
    one.is === 'text' ? [one.text] : one.is === 'blob' ? [one.head] : one.is === 'diff' ? [one.path] : [],
  )
  const output = text.join('\n').trim() || toolOutput(item).trim()
  const end = isRejected(item) ? 'rejected' : failed ? 'failed' : 'done'
  return {
    summary: shortened(plainText(output), mostSummary) || end,
    duration_ms: Math.max(0, Date.parse(item.endedAt!) - Date.parse(item.at) || 0),
    failed,
  }
}
