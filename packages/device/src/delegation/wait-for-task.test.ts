import type { DelegatedStatus, TaskFrame, TaskSnapshot } from '@farhand/protocol/delegated/delegated-tasks'
import type { DelegatedTaskId } from '@farhand/protocol/wire/ids'
import { expect, it } from 'vitest'
import { waitForTask } from './wait-for-task.ts'

const id = 'acp_1' as DelegatedTaskId
const open = { question_id: 'qst_1', kind: 'question', prompt: 'Why?', options: [] }

const snapshot = (status: DelegatedStatus, more: Partial<Record<keyof TaskSnapshot, unknown>> = {}) =>
  ({
    task_id: id,
    status,
    last_seq: 3,
    ended_seq: null,
    input_needed: [],
    ...more,
  }) as unknown as TaskSnapshot
const ended = snapshot('completed', { ended_seq: 9 })
const status = (seq: number, status: DelegatedStatus): TaskFrame => ({
  type: 'acp_task_status',
  seq,
  data: { task_id: id, status },
})
const said = (seq: number): TaskFrame => ({ type: 'acp_text_delta', seq, data: { delta: 'word' } })
const asked = (seq: number) => ({ type: 'acp_input_needed', seq, data: open }) as unknown as TaskFrame

/** A hub with these answers to `get`, one after the other, and these frames; after them its stream stays open. */
function hub(answers: readonly TaskSnapshot[], frames: readonly TaskFrame[] = []) {
  const left = [...answers]
  const followed: number[] = []
  return {
    followed,
    left,
    get: async () => left.shift()!,
    async *follow(_: unknown, { after, signal }: { after: number; signal: AbortSignal }) {
      followed.push(after)
      yield* frames
      await new Promise((_, reject) => {
        const give = () => reject(signal.reason)
        if (signal.aborted) give()
        else signal.addEventListener('abort', give)
      })
    },
  }
}

const waiting = (waitMs: number, signal = new AbortController().signal) => {
  const seen: TaskFrame[] = []
  return { waitMs, signal, seen, onFrame: (frame: TaskFrame) => void seen.push(frame) }
}

it('a task that is over, asks or is paused is not followed', async () => {
  for (const now of [ended, snapshot('working', { input_needed: [open] }), snapshot('paused')]) {
    const from = hub([now])
    expect(await waitForTask(from, id, waiting(60_000))).toBe(now)
    expect(from.followed).toEqual([])
  }
})

it('is followed from where the snapshot was taken until it is over, and every frame is told', async () => {
  const from = hub([snapshot('working'), ended], [said(4), said(5), status(9, 'completed')])
  const how = waiting(60_000)
  expect(await waitForTask(from, id, how)).toBe(ended)
  expect(from.followed).toEqual([3])
  expect(how.seen.map(({ seq }) => seq)).toEqual([4, 5, 9])
})

it('a question that was answered meanwhile does not end the waiting', async () => {
  const from = hub(
    [snapshot('working'), snapshot('working'), ended],
    [asked(5), said(6), status(9, 'completed')],
  )
  expect(await waitForTask(from, id, waiting(60_000))).toBe(ended)
})

it('when the time is up it says how the task is, and without a time it does not follow at all', async () => {
  const later = snapshot('working', { last_seq: 4 })
  expect(await waitForTask(hub([snapshot('working'), later], [said(4)]), id, waiting(20))).toBe(later)
  const from = hub([later])
  expect(await waitForTask(from, id, waiting(0))).toBe(later)
  expect(from.followed).toEqual([])
})

it('a caller that goes away ends the waiting with its reason', async () => {
  const gone = new AbortController()
  const how = { ...waiting(60_000, gone.signal), onFrame: () => gone.abort(new Error('gone')) }
  await expect(waitForTask(hub([snapshot('working')], [said(4)]), id, how)).rejects.toThrow('gone')
})
