import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

/** The commands about messages that a device of the user or a sandbox answers. Each loads what it needs when it is called. */
export function addRequestCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const load = () => import('../commands/requests.ts')
  const requests = farhand
    .command('requests')
    .summary('messages that your computer or a sandbox answers')
    .showHelpAfterError(`Try \`${call} requests --help\`.`)
    .addHelpText('after', requestHelp(call))
  const add = (words: string, summary: string, json = 'print one line of JSON', isDefault = false) =>
    withHubOptions(requests.command(words, { isDefault }).description(summary), json).addHelpText(
      'after',
      requestHelp(call),
    )

  add(
    'ls',
    'list your requests, newest first, and what became of each',
    'print a line of JSON for each',
    true,
  )
    .alias('list')
    .option('--all', 'older ones, too')
    .action(async (_: unknown, command: Command) => {
      const { listRequestsCommand } = await load()
      await listRequestsCommand(givenOptions(command), context)
    })
  add('send <message>', 'send a request, as your phone would')
    .option('--device <device>', 'the device that answers, by its id or name')
    .option('--needs-device', 'only a device of yours can do it: it waits until one is connected')
    .option('--agent <id>', 'the agent, if a sandbox answers')
    .action(async (message: string, _: unknown, command: Command) => {
      const { sendRequestCommand } = await load()
      await sendRequestCommand(message, givenOptions(command), context)
    })
  add('show <request>', 'show every state that a request had, and why').action(
    async (id: string, _: unknown, command: Command) => {
      const { showRequestCommand } = await load()
      await showRequestCommand(id, givenOptions(command), context)
    },
  )
  add('accept <request>', 'say yes to what an agent in a sandbox left for your computer').action(
    async (id: string, _: unknown, command: Command) => {
      const { acceptRequestCommand } = await load()
      await acceptRequestCommand(id, givenOptions(command), context)
    },
  )
  add('cancel <request>', 'cancel a request, or say no to one that is offered').action(
    async (id: string, _: unknown, command: Command) => {
      const { cancelRequestCommand } = await load()
      await cancelRequestCommand(id, givenOptions(command), context)
    },
  )
  addHereCommands(add, context)
}

type Add = (words: string, summary: string, json?: string) => Command

/** Whether and how requests are answered on this computer. */
function addHereCommands(add: Add, context: CommandContext): void {
  const load = () => import('../commands/requests-here.ts')
  add('on [folder]', 'have an agent on this computer answer your requests, in one folder')
    .option('--agent <id>', 'the agent; default: the one that was used in the folder last')
    .option('--questions <rule>', 'what it asks: ask (you, the default), deny, or allow')
    .action(async (folder: string | undefined, _: unknown, command: Command) => {
      const { requestsOnCommand } = await load()
      await requestsOnCommand(folder, givenOptions(command), context)
    })
  add('off', 'answer no requests on this computer any more').action(async (_: unknown, command: Command) => {
    const { requestsOffCommand } = await load()
    await requestsOffCommand(givenOptions(command), context)
  })
  add('status', 'say whether requests are answered on this computer, and how').action(
    async (_: unknown, command: Command) => {
      const { requestsStatusCommand } = await load()
      await requestsStatusCommand(givenOptions(command), context)
    },
  )
}

const requestHelp = (call: string) => `
A request goes to your connected device, else to a sandbox of the hub.
What only your computer can do waits for it, for up to 7 days:
  ${call} requests ls
  ${call} requests send --needs-device "send the contract on my desktop to Zhang San"
  ${call} requests show req_4fJ2
  ${call} requests accept req_4fJ2
  ${call} requests cancel req_4fJ2
A request is offered when an agent in a sandbox left a part that needs your computer.
It does nothing until you accept it.
A computer that is bound to the hub answers if you allow it, with your own permissions:
  ${call} requests on ~/work --agent claude
  ${call} requests status
  ${call} requests off`
