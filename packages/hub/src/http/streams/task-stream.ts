import type { ServerResponse } from 'node:http'
import type { TaskFrame } from '@farhand/protocol/delegated/delegated-tasks'
import type { DelegatedTaskId } from '@farhand/protocol/wire/ids'
import { TaskFrames } from '@farhand/story/delegated/task-frames'
import type { Story } from '@farhand/story/items/story'
import type { LogChunk } from '../../log/event-log.ts'
import { decodeLine } from '../../log/stored-line.ts'
import { SseStream } from './sse-stream.ts'

/** `gapTo`: the events up to this one are not sent, but what they lead to; null: every one after `after` is sent. */
export type TaskCursor = { after: number; gapTo: number | null }

type Told = { task: DelegatedTaskId; cursor: TaskCursor; snapshot: (story: Story) => TaskFrame['data'] }

/**
 * The stream of a delegated task (W85). It reads the log from its beginning, as what an event tells depends on those before it, and sends
 * what comes after the cursor. Give it a reader that begins at 0.
 */
export class TaskStream extends SseStream {
  readonly #frames: TaskFrames
  readonly #cursor: TaskCursor
  readonly #snapshot: Told['snapshot']
  #isOver = false

  constructor(res: ServerResponse, { task, cursor, snapshot }: Told) {
    super(res, { envelope: 'bare', to: 'everyone', files: 'together' })
    this.#frames = new TaskFrames(task)
    this.#cursor = cursor
    this.#snapshot = snapshot
  }

  override write(chunk: LogChunk): boolean {
    let text = ''
    for (const line of chunk.bytes.toString().split('\n')) {
      if (line === '' || this.#isOver) continue
      const event = decodeLine(line)
      if (!event) throw new Error('a line of the log cannot be read')
      text += inMessages(this.#framesToSend(this.#frames.take(event), event.id))
      this.#isOver = this.#frames.story.task.ended !== null
    }
    const more = text === '' || this.say(text)
    if (this.#isOver) this.leave()
    return more
  }

  #framesToSend(frames: readonly TaskFrame[], seq: number): readonly TaskFrame[] {
    const { after, gapTo } = this.#cursor
    if (seq <= after) return []
    if (gapTo === null || seq > gapTo) return frames
    const { story } = this.#frames
    if (seq < gapTo && !story.task.ended) return []
    const gap = { type: 'acp_gap', seq, data: this.#snapshot(story.story) } as TaskFrame
    // A reader that waits for the end of the task must hear of it.
    return [gap, ...frames.filter(({ type }) => story.task.ended && type.startsWith('acp_task_'))]
  }

  /** The messages of the log's stream say nothing to readers of a task. */
  override live(): void {}

  override end(): void {
    this.leave()
  }

  override reconnect(): void {
    this.leave()
  }
}

/** Only the last frame of an event has its id: a reader that is cut off before gets the whole event again. */
function inMessages(frames: readonly TaskFrame[]): string {
  return frames
    .map((frame, at) => {
      const id = at === frames.length - 1 ? `id: ${frame.seq}\n` : ''
      return `${id}data: ${JSON.stringify(frame)}\n\n`
    })
    .join('')
}
