import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { hubOption, stateOption, tokenOption } from './hub-options.ts'

export function addBringCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const finish = (command: Command, json: string) =>
    command
      .addOption(stateOption())
      .option('--json', json)
      .showHelpAfterError(`Try \`${call} bring --help\`.`)
  const bring = finish(
    farhand
      .command('bring')
      .summary('your own instructions, skills and MCP servers, for agents in sandboxes')
      .description('List what agents are set up with here, and what of it goes to sandboxes.'),
    'print one line of JSON for each',
  )
    .addHelpText('after', help(call))
    .action(async (_: unknown, command: Command) => {
      const { bringList } = await import('../commands/bring/bring-command.ts')
      await bringList(givenOptions(command), context)
    })
  // Commander gives an option before `add` to `bring`, and one after it to `add`.
  const flagsOf = (command: Command) => ({ ...givenOptions(bring), ...givenOptions(command) })
  const add = (words: string, description: string) =>
    finish(bring.command(words).description(description), 'print one line of JSON for each')
  add('add <what...>', 'take these along to the sandboxes of new runs').action(
    async (what: string[], _: unknown, command: Command) => {
      const { bringAdd } = await import('../commands/bring/bring-command.ts')
      await bringAdd(what, flagsOf(command), context)
    },
  )
  add('remove <what...>', 'leave these here from now on')
    .alias('rm')
    .action(async (what: string[], _: unknown, command: Command) => {
      const { bringRemove } = await import('../commands/bring/bring-command.ts')
      await bringRemove(what, flagsOf(command), context)
    })
  add('send [run]', 'bring it to a run that there is, too, in place of what that was brought before')
    .addOption(hubOption())
    .addOption(tokenOption())
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { bringSend } = await import('../commands/bring/bring-send.ts')
      await bringSend(run, flagsOf(command), context)
    })
  add('show <what>', 'show what it holds, and where agents find it').action(
    async (what: string, _: unknown, command: Command) => {
      const { bringShow } = await import('../commands/bring/bring-command.ts')
      await bringShow(what, flagsOf(command), context)
    },
  )
}

const help = (call: string) => `
Nothing goes along that you have not named, by its path or its name:
  ${call} bring add ~/.claude/CLAUDE.md
  ${call} bring add review            a skill, a command or an MCP server
What looks like a secret keeps a file back, and it is said where that is. Values in the settings of an MCP server never
go along: each is a secret of the project there (\`secret set GITHUB_TOKEN\`). What you change later goes along as
it is then, if it passes the same scan; an MCP server has to be added again.
What the agent itself changes in its sandbox stays as it made it.`
