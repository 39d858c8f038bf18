import {
  type DelegatedStatus,
  DelegatedTask,
  InputTaken,
  type NewDelegatedTask,
  type TaskAction,
  TaskFrame,
  TaskSnapshot,
} from '@farhand/protocol/delegated/delegated-tasks'
import { isTaskOver } from '@farhand/protocol/delegated/task-machine'
import { DelegatedTaskPage } from '@farhand/protocol/endpoints/delegated-tasks'
import { type DelegatedTaskId, randomName } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { ask, type Hub, jsonRequest } from '../requests/hub.ts'
import { Refusal, Unreachable } from '../requests/refusal.ts'
import { type RetryOptions, resumeStream } from '../requests/retry.ts'
import { sseMessages } from '../requests/sse-messages.ts'
import { confirm, Unconfirmed } from '../requests/unconfirmed.ts'

type KeyedOptions = CallOptions & {
  /** Requests with the same key do one thing. Random by default; an Unconfirmed has the key that was used. */
  key?: string
}

type TaskFilter = { cursor?: string; status?: DelegatedStatus; conversation_id?: string }

export type FollowTaskOptions = RetryOptions & {
  /** The `seq` of the last frame that the caller has; 0 for all. */
  after?: number
  /** After so much silence the connection counts as dead. */
  silenceMs?: number
}

const reached: Record<TaskAction, readonly DelegatedStatus[]> = {
  pause: ['paused'],
  resume: ['working'],
  cancel: ['canceled'],
}

/** Delegates tasks to a hub and follows them. Each call is repeated while the network or the hub fails, and done once. */
export class TaskClient {
  readonly #hub: Hub
  readonly #options: CallOptions

  constructor(hub: Hub, options: CallOptions = {}) {
    this.#hub = hub
    this.#options = options
  }

  create(task: NewDelegatedTask, options: KeyedOptions = {}): Promise<DelegatedTask> {
    return this.#keyed(paths.delegatedTasks(), task, DelegatedTask, options)
  }

  get(id: DelegatedTaskId, options?: CallOptions): Promise<TaskSnapshot> {
    return call(this.#hub, { path: paths.delegatedTask(id) }, TaskSnapshot, { ...this.#options, ...options })
  }

  /** One page, newest first; with a status it may be short though more follow. */
  list(filter: TaskFilter = {}, options?: CallOptions) {
    const request = { path: paths.delegatedTasks(), query: filter }
    return call(this.#hub, request, DelegatedTaskPage, { ...this.#options, ...options })
  }

  /** Pauses, resumes or cancels a task; throws a Refusal if its state does not allow that. */
  async change(id: DelegatedTaskId, action: TaskAction, options?: CallOptions): Promise<TaskSnapshot> {
    let isRepeated = false
    const all: CallOptions = { ...this.#options, ...options }
    const onTrouble: RetryOptions['onTrouble'] = (...trouble) => {
      isRepeated = true
      all.onTrouble?.(...trouble)
    }
    try {
      const request = jsonRequest('PATCH', paths.delegatedState(id), { action })
      return await call(this.#hub, request, TaskSnapshot, { ...all, onTrouble })
    } catch (error) {
      // An earlier try, whose answer was lost, may have done it.
      if (!isRepeated || !(error instanceof Refusal) || error.code !== 'task.refused') throw error
      const task = await this.get(id, options)
      if (!reached[action].includes(task.status)) throw error
      return task
    }
  }

  /** Answers the open question, or the one that is named; without a question it is a message to the agent. */
  input(
    id: DelegatedTaskId,
    input: unknown,
    { questionId, ...options }: KeyedOptions & { questionId?: string } = {},
  ): Promise<InputTaken> {
    const body = { input, ...(questionId !== undefined && { question_id: questionId }) }
    return this.#keyed(paths.delegatedInput(id), body, InputTaken, options)
  }

  /**
   * Every frame of a task after `after`, each once, across lost connections, until the task is over. A reader that was away for long gets an
   * `acp_gap` with the state of the task in place of what it missed. By default it never gives up.
   */
  async *follow(id: DelegatedTaskId, options: FollowTaskOptions = {}): AsyncGenerator<TaskFrame, void> {
    const { silenceMs = 40_000, after: first = 0, ...retry } = options
    const hub = this.#hub
    const get = () => this.get(id, { patienceMs: 0, signal: options.signal })
    let after = first
    async function* rest(): AsyncGenerator<TaskFrame> {
      const request = {
        path: paths.delegatedStream(id),
        query: { last_seq: after },
        headers: { accept: 'text/event-stream' },
      }
      const send = (signal: AbortSignal) => ask(hub, request, signal)
      // The frames of an event are given together: after a cut, the hub sends all of them again.
      let waiting: TaskFrame[] = []
      for await (const messages of sseMessages({ send, silenceMs, signal: options.signal })) {
        for (const { id, data } of messages) {
          const frame = readFrame(data)
          if (frame) waiting.push(frame)
          if (id === undefined) continue
          const whole = waiting
          waiting = []
          after = Number(id)
          yield* whole
          if (whole.some(isEnd)) return
        }
      }
      // A stream that ends without the end of the task was cut, by a hub that stops or on the way.
      const { ended_seq: end } = await get()
      if (end === null || end > after) throw new Unreachable('the stream of the task ended early')
    }
    yield* resumeStream(rest, { patienceMs: Number.POSITIVE_INFINITY, ...this.#options, ...retry })
  }

  #keyed<T>(
    path: string,
    body: unknown,
    answer: { parse(value: unknown): T },
    options: KeyedOptions,
  ): Promise<T> {
    const { key = randomName(), ...rest } = { ...this.#options, ...options }
    const request = jsonRequest('POST', path, body, { 'idempotency-key': key })
    return confirm(
      rest,
      (retrying) => call(this.#hub, request, answer, retrying),
      (cause) => new Unconfirmed(cause, key, `Send it again with the key ${key}`),
    )
  }
}

/** Null for a frame that only a newer client understands. */
function readFrame(data: string): TaskFrame | null {
  try {
    return TaskFrame.safeParse(JSON.parse(data)).data ?? null
  } catch (error) {
    throw new Unreachable('a message that is no JSON', error)
  }
}

const isEnd = (frame: TaskFrame) =>
  frame.type === 'acp_task_completed' ||
  (frame.type === 'acp_task_status' && frame.data.status !== 'completed' && isTaskOver(frame.data.status))
