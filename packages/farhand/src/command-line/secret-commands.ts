import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

/** The commands about what projects keep secret. Each loads what it needs when it is called. */
export function addSecretCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const secret = farhand
    .command('secret')
    .summary('the secrets of a project, for its runs')
    .showHelpAfterError(`Try \`${call} secret --help\`.`)
    .addHelpText('after', secretHelp(call))
  const add = (words: string, summary: string, json: string) =>
    withHubOptions(
      secret
        .command(words)
        .description(summary)
        .option('--project <project>', 'its id or name; default: the project of the working folder'),
      json,
    ).addHelpText('after', secretHelp(call))

  add('set <name>', 'keep a secret; replaces one of the same name', 'print one line of JSON')
    .option('--git <url>', 'a password for git, for all addresses that begin with this; no run can see it')
    .option('--username <name>', 'the user name for it, if the git server needs a certain one')
    .action(async (name: string, _: unknown, command: Command) => {
      const { setSecretCommand } = await import('../commands/secret.ts')
      await setSecretCommand(name, givenOptions(command), context)
    })
  add('ls', 'list the secrets of a project: their names, never their values', 'print a line of JSON for each')
    .alias('list')
    .action(async (_: unknown, command: Command) => {
      const { listSecretsCommand } = await import('../commands/secret.ts')
      await listSecretsCommand(givenOptions(command), context)
    })
  add('rm [name]', 'forget a secret', 'print one line of JSON').action(
    async (name: string | undefined, _: unknown, command: Command) => {
      const { removeSecretCommand } = await import('../commands/secret.ts')
      await removeSecretCommand(name, givenOptions(command), context)
    },
  )
}

const secretHelp = (call: string) => `
You type the value hidden, or pipe it in. It is never an argument: every user of the machine could read that:
  ${call} secret set NPM_TOKEN
  ${call} secret set DEPLOY_KEY < key.pem
A run gets the secrets that it names, as variables. No run gets a password for git; the hub uses it itself:
  ${call} secret set GITHUB --git https://github.com/acme
A value cannot be read again; in what agents say it is replaced by [secret NAME].`
