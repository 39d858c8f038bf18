import { TaskClient } from '@farhand/client/delegated/task-client'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { DelegatedStatus, DelegatedTask, TaskAction } from '@farhand/protocol/delegated/delegated-tasks'
import { DelegatedTaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { saidOrPiped } from '../terminal/prompts/piped-text.ts'
import { hubAccess } from './find-run/hub-access.ts'
import type { ReachFlags } from './find-run/reach-run.ts'
import { followTask } from './tasks/follow-task.ts'
import { cardInLines, taskInLine } from './tasks/task-in-words.ts'

type TaskFlags = ReachFlags &
  Readonly<Partial<Record<'all' | 'status' | 'follow' | 'agent' | 'context' | 'conversation', unknown>>>

/** So many tasks are searched for one whose id begins as the user typed. */
const mostSearched = 1000

/** `farhand tasks`: lists the tasks that programs have delegated, newest first. */
export const listTasksCommand = (flags: TaskFlags, context: CommandContext) =>
  withTasks(flags, context, async (client) => {
    const status = flags.status as DelegatedStatus | undefined
    let shown = 0
    let cursor: string | undefined
    do {
      const page = await client.list({ ...(status && { status }), ...(cursor !== undefined && { cursor }) })
      for (const task of page.items)
        context.out(flags.json ? `${JSON.stringify(task)}\n` : taskInLine(task, context))
      shown += page.items.length
      cursor = page.next ?? undefined
    } while (cursor !== undefined && (flags.all || (shown === 0 && status)))
    if (flags.json) return
    const { farhand } = context.called
    if (shown === 0) context.out(`No task is delegated. Delegate one: ${farhand} tasks start "..."\n`)
    else if (cursor !== undefined) context.out('and older ones: --all shows them\n')
  })

/** `farhand tasks start`: delegates a task to the hub, which has an agent work on it in a sandbox. */
export const startTaskCommand = (said: string, flags: TaskFlags, context: CommandContext) =>
  withTasks(flags, context, async (client) => {
    const text = await saidOrPiped(said, context)
    if (text === null) return
    if (!text || text.trim() === '')
      throw new Trouble('usage', 'The task is empty.', 'Write what the agent should do.')
    const task = await client.create({
      task: text,
      ...(flags.context !== undefined && { context: String(flags.context) }),
      ...(flags.conversation !== undefined && { conversation_id: String(flags.conversation) }),
      ...(flags.agent !== undefined && { agent: String(flags.agent) }),
    })
    if (flags.json && !flags.follow) return context.out(`${JSON.stringify(task)}\n`)
    const { farhand } = context.called
    if (!flags.json)
      context.note(
        `${task.task_id} is delegated. \`${farhand} tasks show ${task.task_id}\` shows how far it is.\n`,
      )
    if (flags.follow) await followTask(client, task, flags, context)
  })

/** `farhand tasks show`: prints the card of a task, and with --follow what happens until it is over. */
export const showTaskCommand = (named: string, flags: TaskFlags, context: CommandContext) =>
  withTasks(flags, context, async (client) => {
    const id = await taskNamed(client, named, context)
    const task = await client.get(id)
    if (flags.follow) return await followTask(client, task, flags, context)
    if (flags.json) return context.out(`${JSON.stringify(task)}\n`)
    for (const line of cardInLines(task, context, Date.now())) context.out(`${line}\n`)
    if (task.input_needed.length > 0)
      context.out(`\nAnswer: ${context.called.farhand} answer ${task.session_id} <answer>\n`)
  })

/** `farhand tasks pause`, `resume` and `cancel`. */
export const changeTaskCommand = (
  action: TaskAction,
  named: string,
  flags: TaskFlags,
  context: CommandContext,
) =>
  withTasks(flags, context, async (client) => {
    const task = await client.change(await taskNamed(client, named, context), action)
    if (flags.json) context.out(`${JSON.stringify(task)}\n`)
    else context.note(`The task is ${task.status}.\n`)
  })

/** The id that the user typed, or the only one that begins so. */
async function taskNamed(
  client: TaskClient,
  named: string,
  context: CommandContext,
): Promise<DelegatedTaskId> {
  const whole = DelegatedTaskId.safeParse(named)
  const found: DelegatedTask[] = []
  let cursor: string | undefined
  for (let searched = 0; searched < mostSearched && named !== ''; ) {
    const page = await client.list(cursor === undefined ? {} : { cursor })
    searched += page.items.length
    found.push(
      ...page.items.filter(({ task_id: id }) => id.startsWith(named) || id.slice(4).startsWith(named)),
    )
    cursor = page.next ?? undefined
    if (cursor === undefined || found.some(({ task_id: id }) => id === named)) break
  }
  const [only] = found
  if (only && found.length === 1) return only.task_id
  if (whole.success && found.length === 0) return whole.data
  const list = `\`${context.called.farhand} tasks\` lists them.`
  if (found.length > 1)
    throw new Trouble('usage', `${found.length} tasks begin with ${named}.`, `Type more of its id; ${list}`)
  throw new Trouble('usage', `No delegated task begins with ${named.slice(0, 80)}.`, list)
}

const withTasks = (flags: TaskFlags, context: CommandContext, act: (client: TaskClient) => Promise<void>) =>
  withJsonErrors(flags, context, async () => {
    const hub = await hubAccess(flags, new StateFolder(stateFolderPath(flags.state, context)), context)
    try {
      await act(new TaskClient(hub, { signal: context.stop, patienceMs }))
    } catch (error) {
      if (context.stop.aborted) return
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })
