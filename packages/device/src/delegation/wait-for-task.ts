import type { TaskFrame, TaskSnapshot } from '@farhand/protocol/delegated/delegated-tasks'
import type { DelegatedTaskId } from '@farhand/protocol/wire/ids'

/** What waiting for a task needs of the hub; `TaskClient` has it. */
type Followed = {
  get(task: DelegatedTaskId, options: { signal: AbortSignal }): Promise<TaskSnapshot>
  follow(
    task: DelegatedTaskId,
    options: { after: number; signal: AbortSignal; patienceMs: number },
  ): AsyncIterable<TaskFrame>
}

type Waiting = { waitMs: number; signal: AbortSignal; onFrame: (frame: TaskFrame) => void }

/** Whether there is a reason to stop waiting: the task is over, has a question, or is paused. */
export const isSettled = ({ ended_seq, input_needed, status }: TaskSnapshot) =>
  ended_seq !== null || input_needed.length > 0 || status === 'paused'

/** Waits until the task is over, has a question or is paused, or until the time is up; returns it as it is then. */
export async function waitForTask(
  tasks: Followed,
  task: DelegatedTaskId,
  { waitMs, signal, onFrame }: Waiting,
): Promise<TaskSnapshot> {
  const first = await tasks.get(task, { signal })
  if (isSettled(first) || waitMs === 0) return first
  const timeUp = AbortSignal.timeout(waitMs)
  const either = AbortSignal.any([signal, timeUp])
  try {
    for await (const frame of tasks.follow(task, {
      after: first.last_seq,
      signal: either,
      patienceMs: Number.POSITIVE_INFINITY,
    })) {
      onFrame(frame)
      if (!mayBeSettled(frame)) continue
      // A question in the stream may have been answered since.
      const now = await tasks.get(task, { signal })
      if (isSettled(now)) return now
    }
  } catch (error) {
    if (signal.aborted || !timeUp.aborted) throw error
  }
  return await tasks.get(task, { signal })
}

const mayBeSettled = ({ type }: TaskFrame) =>
  type === 'acp_task_status' ||
  type === 'acp_input_needed' ||
  type === 'acp_task_completed' ||
  type === 'acp_gap'
