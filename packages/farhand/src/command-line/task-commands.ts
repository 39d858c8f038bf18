import { DelegatedStatus, TaskAction } from '@farhand/protocol/delegated/delegated-tasks'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

const does: Record<TaskAction, string> = {
  pause: 'have the agent of a task stop until it is resumed',
  resume: 'have the agent of a paused task go on',
  cancel: 'end a task; what it did until then stays in its run',
}

/** The commands about delegated tasks. Each loads what it needs when it is called. */
export function addTaskCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const tasks = farhand
    .command('tasks')
    .summary('tasks that programs delegate to the hub')
    .showHelpAfterError(`Try \`${call} tasks --help\`.`)
    .addHelpText('after', taskHelp(call))
  const add = (words: string, summary: string, json: string, isDefault = false) =>
    withHubOptions(tasks.command(words, { isDefault }).description(summary), json).addHelpText(
      'after',
      taskHelp(call),
    )

  add('ls', 'list delegated tasks, newest first', 'print a line of JSON for each', true)
    .alias('list')
    .option('--all', 'also older ones')
    .addOption(new Option('--status <status>', 'only tasks in this state').choices(DelegatedStatus.options))
    .action(async (_: unknown, command: Command) => {
      const { listTasksCommand } = await import('../commands/tasks.ts')
      await listTasksCommand(givenOptions(command), context)
    })
  add('start <text>', 'delegate a task', 'print one line of JSON, and with --follow one for each event')
    .option('--follow', 'show what the agent does until the task is over')
    .option('--agent <id>', 'the agent that works on it; default: the first that is set up at the hub')
    .option('--context <text>', 'what the agent should know besides')
    .option('--conversation <id>', 'tasks of the same conversation are kept together')
    .action(async (text: string, _: unknown, command: Command) => {
      const { startTaskCommand } = await import('../commands/tasks.ts')
      await startTaskCommand(text, givenOptions(command), context)
    })
  add(
    'show <task>',
    'show how far a task is, or its result',
    'print one line of JSON, and with --follow one for each event',
  )
    .option('--follow', 'show what the agent does until the task is over')
    .action(async (task: string, _: unknown, command: Command) => {
      const { showTaskCommand } = await import('../commands/tasks.ts')
      await showTaskCommand(task, givenOptions(command), context)
    })
  for (const action of TaskAction.options)
    add(`${action} <task>`, does[action], 'print one line of JSON').action(
      async (task: string, _: unknown, command: Command) => {
        const { changeTaskCommand } = await import('../commands/tasks.ts')
        await changeTaskCommand(action, task, givenOptions(command), context)
      },
    )
}

const taskHelp = (call: string) => `
A task is a run in a sandbox of the hub, begun by a program or by you; it goes on while this machine is off:
  ${call} tasks start "research the market for electric bicycles" --follow
  ${call} tasks ls --status working
  ${call} tasks show 4fJ2
  ${call} tasks pause 4fJ2
  ${call} tasks resume 4fJ2
  ${call} tasks cancel 4fJ2
A task is named by its id, or by the beginning of that. Its run can be joined and answered like any other:
  ${call} attach <run>`
