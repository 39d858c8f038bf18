import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions, repeatable } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

/** The commands by which an agent of the user learns to delegate tasks. Each loads what it needs when it is called. */
export function addDelegationCommands(farhand: Command, context: CommandContext): void {
  addMcpCommand(farhand, context)
  addSkillCommands(farhand, context)
}

function addMcpCommand(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const mcp = withHubOptions(
    farhand
      .command('mcp')
      .summary('the tool cloud_agent, for your own agents (an MCP server)')
      .description(
        'Serves the tools with which your own agent delegates tasks to agents in sandboxes, over standard input and output. Agents start\n' +
          'it themselves, once it is in their settings. With --http it serves any number of programs of this machine.',
      ),
    'with --http: print address and token as one line of JSON',
  )
    .option('--agent <id>', 'the agent for the tasks; default: the hub chooses')
    .option('--sandbox <kind>', 'the kind of sandbox for the tasks; default: the hub chooses')
    .option('--http', 'serve HTTP on 127.0.0.1, for programs that have the token')
    .option('--port <port>', 'the port for --http; 0 is any free one (default: 4517)')
    .showHelpAfterError(`Try \`${call} mcp --help\`.`)
    .addHelpText('after', mcpHelp(call))
    .action(async (_: unknown, command: Command) => {
      const flags = givenOptions(command)
      if (flags.http || flags.port !== undefined) {
        const { mcpHttpCommand } = await import('../commands/mcp/mcp-http-command.ts')
        await mcpHttpCommand(flags, context)
      } else {
        const { mcpCommand } = await import('../commands/mcp/mcp-command.ts')
        await mcpCommand(flags, context)
      }
    })
  mcp
    .command('settings [agent]')
    .description('show what to add to the settings of your agent')
    .option('--json', 'print a line of JSON for each agent')
    .showHelpAfterError(`Try \`${call} mcp --help\`.`)
    .addHelpText('after', mcpHelp(call))
    .action(async (agent: string | undefined, _: unknown, command: Command) => {
      const { mcpSettingsCommand } = await import('../commands/mcp/mcp-settings-command.ts')
      await mcpSettingsCommand(agent, { ...givenOptions(mcp), ...givenOptions(command) }, context)
    })
}

const mcpHelp = (call: string) => `
What to add for one agent, or for all that are known; then the same over HTTP:
  ${call} mcp settings claude
  ${call} mcp settings
  ${call} mcp --http --port 8123
The tools are cloud_agent, and cloud_agent_ with follow, answer, control, list, files, read and download.
They use the hub that the other commands use. \`${call} skill install\` tells agents when to delegate.`

function addSkillCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const skill = farhand
    .command('skill')
    .summary('the skill that tells your own agents when to delegate a task')
    .showHelpAfterError(`Try \`${call} skill --help\`.`)
    .addHelpText('after', skillHelp(call))
  const add = (words: string, description: string) =>
    skill
      .command(words)
      .description(description)
      .option(
        '--for <agent>',
        'only for this agent, such as claude, or agents for the shared folder; can be repeated',
        repeatable,
      )
      .option('--project', 'in the folder you are in, instead of your home')
      .option('--json', 'print a line of JSON for each file')
      .addHelpText('after', skillHelp(call))

  add('install', 'put the skill where agents look for it; an older one of ours is replaced')
    .option('--force', 'replace it also where it was changed')
    .action(async (_: unknown, command: Command) => {
      const { installSkillCommand } = await import('../commands/skill/skill-commands.ts')
      await installSkillCommand(givenOptions(command), context)
    })
  add('remove', 'take it away again')
    .option('--force', 'remove it also where it was changed')
    .action(async (_: unknown, command: Command) => {
      const { removeSkillCommand } = await import('../commands/skill/skill-commands.ts')
      await removeSkillCommand(givenOptions(command), context)
    })
  add('show', 'print the skill; with --json also where it is').action(
    async (_: unknown, command: Command) => {
      const { showSkillCommand } = await import('../commands/skill/skill-commands.ts')
      await showSkillCommand(givenOptions(command), context)
    },
  )
}

const skillHelp = (call: string) => `
For the agents that are set up here; for one of them; for all who work on this project:
  ${call} skill install
  ${call} skill install --for claude
  ${call} skill install --project
  ${call} skill show
  ${call} skill remove
A file that you have changed stays unless you agree. The tool that the skill uses is \`${call} mcp\`.`
