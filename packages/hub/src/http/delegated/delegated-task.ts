import type { DelegatedTask } from '@farhand/protocol/delegated/delegated-tasks'
import { isTaskOver } from '@farhand/protocol/delegated/task-machine'
import { Fault } from '@farhand/protocol/wire/faults'
import { DelegatedTaskId } from '@farhand/protocol/wire/ids'
import type { Story } from '@farhand/story/items/story'
import { findDelegated, noteStanding } from '../../collab/delegated-tasks.ts'
import { type Exchange, userOf } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

export const mostTaskBytes = 512 * 1024

/** The delegated task that the path names; one of another user does not exist for the caller. */
export async function taskOf(parts: HubParts, { params, who }: Exchange): Promise<DelegatedTask> {
  const id = DelegatedTaskId.safeParse(params.delegated)
  const task = id.success ? await findDelegated(parts.db, userOf(who).user, { id: id.data }) : null
  if (!task) throw new Fault('task.unknown', 'there is no such delegated task')
  return task
}

/** The story of its run. What the store has of the task is corrected by it. */
export async function storyOf(parts: HubParts, task: DelegatedTask): Promise<Story> {
  const story = await parts.taskFolds.story(task.session_id)
  const { status, result, ended } = story.task
  if (task.status === status && (task.completed_at !== null || !isTaskOver(status))) return story
  // A full disk must not prevent reading; the next reader stores it.
  await noteStanding(parts.db, task.task_id, { status, result, endedAt: ended?.at ?? null }).catch(() => {})
  return story
}
