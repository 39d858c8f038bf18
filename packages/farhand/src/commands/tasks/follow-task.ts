import type { TaskClient } from '@farhand/client/delegated/task-client'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { DelegatedTask, TaskFrame } from '@farhand/protocol/delegated/delegated-tasks'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { firstLine, shownText } from '../../terminal/printing/shown-text.ts'
import { cardInLines } from './task-in-words.ts'

type Followed = Pick<DelegatedTask, 'task_id' | 'session_id'>

/** Prints what happens in a task until it is over; what was missed for long as a short card. Throws Trouble unless it is completed. */
export async function followTask(
  client: TaskClient,
  task: Followed,
  flags: { json?: unknown },
  context: CommandContext,
): Promise<void> {
  let status = 'working'
  const screen = new TaskScreen(task, context)
  for await (const frame of client.follow(task.task_id, { signal: context.stop })) {
    if (frame.type === 'acp_task_status') status = frame.data.status
    if (flags.json) context.out(`${JSON.stringify(frame)}\n`)
    else screen.show(frame)
  }
  if (status === 'completed') return
  const { result_summary: why } = await client.get(task.task_id, { signal: context.stop })
  const said = why === null ? '' : `: ${firstLine(why, 300)}`
  const next = `\`${context.called.farhand} attach ${task.session_id}\` shows all that happened.`
  throw new Trouble('failed', `The task is ${status}${said}`, next)
}

/** Prints frames one after the other; words of the agent go on in their line. */
class TaskScreen {
  readonly #task: Followed
  readonly #context: CommandContext
  #isInLine = false

  constructor(task: Followed, context: CommandContext) {
    this.#task = task
    this.#context = context
  }

  show(frame: TaskFrame): void {
    if (frame.type === 'acp_text_delta') {
      this.#context.out(shownText(frame.data.delta))
      this.#isInLine = !frame.data.delta.endsWith('\n')
    } else this.#print(this.#linesOf(frame))
  }

  #print(lines: readonly string[]): void {
    if (lines.length === 0) return
    this.#context.out(`${this.#isInLine ? '\n' : ''}${lines.join('\n')}\n`)
    this.#isInLine = false
  }

  #linesOf(frame: TaskFrame): string[] {
    const { color, called } = this.#context
    const { dim, yellow, red } = paint(color)
    switch (frame.type) {
      case 'acp_task_status':
        return [dim(`· ${frame.data.status}`)]
      case 'acp_tool_start':
        return [dim(`▸ ${firstLine(`${frame.data.tool}: ${frame.data.input_summary}`, 200)}`)]
      case 'acp_tool_end':
        return frame.data.failed ? [red(`✗ ${firstLine(frame.data.summary, 200)}`)] : []
      case 'acp_progress': {
        const { completed, total, current } = frame.data
        return [dim(`· ${completed} of ${total} steps${current ? `: ${firstLine(current, 200)}` : ''}`)]
      }
      case 'acp_input_needed': {
        const { prompt, options } = frame.data
        const either = options.length > 0 ? ` (${options.map((one) => firstLine(one, 60)).join(' / ')})` : ''
        const how = `  Answer: ${called.farhand} answer ${this.#task.session_id} <answer>`
        return [yellow(`? ${firstLine(prompt, 500)}${either}`), how]
      }
      case 'acp_gap': {
        const missed = (frame.seq - frame.data.after).toLocaleString('en')
        const card = cardInLines(frame.data.snapshot, this.#context, Date.now())
        return [dim(`… ${missed} events in short:`), ...card]
      }
      default:
        return []
    }
  }
}
