import type { DelegatedTask, TaskSnapshot } from '@farhand/protocol/delegated/delegated-tasks'
import { allowedActions } from '@farhand/protocol/delegated/task-machine'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import { inputNeeded } from '@farhand/story/delegated/input-needed'
import { taskCard } from '@farhand/story/delegated/task-card'
import { shownText } from '@farhand/story/items/cut-text'
import type { Story } from '@farhand/story/items/story'

const mostText = 4000

/** A task with everything that its story tells of it. */
export function taskSnapshot(task: DelegatedTask, story: Story): TaskSnapshot {
  const { status, ended, result, startedAt } = story.task
  const waiting = ended ? [] : pendingQuestions(story.view)
  const { steps, progress } = taskCard(story)
  const words = story.items.findLast((item) => item.kind === 'words' && (!ended || item.id <= ended.seq))
  return {
    ...task,
    status,
    result_summary: result,
    completed_at: ended?.at ?? null,
    last_seq: story.lastId,
    ended_seq: ended?.seq ?? null,
    started_at: startedAt,
    allowed: allowedActions(status),
    progress,
    steps,
    input_needed: waiting.map(inputNeeded),
    text: words?.kind === 'words' ? shownText(words).slice(-mostText) : '',
  }
}
