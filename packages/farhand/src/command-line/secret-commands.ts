import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

/** The commands about what projects keep secret. Each loads what it needs when it is called. */
export function addSecretCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const secret = farhand
    .command('secret')
    .summary('what a project keeps secret, for its runs')
    .showHelpAfterError(`Try \`${call} secret --help\`.`)
    .addHelpText('after', secretHelp(call))
  const add = (words: string, summary: string, json: string) =>
    withHubOptions(
      secret
        .command(words)
        .description(summary)
        .option('--project <project>', 'its id or name; that of the folder you are in if you do not say'),
      json,
    ).addHelpText('after', secretHelp(call))

  add('set <name>', 'keep a secret, in place of the one before of that name', 'print one line of JSON')
    .option('--git <url>', 'a password for git, for all addresses that begin so; no run gets to see it')
    .option('--username <name>', 'the name that goes with it, where any will not do')
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
The value is typed, unseen, or piped in. It is never an argument, which everyone on the machine could read:
  ${call} secret set NPM_TOKEN
  ${call} secret set DEPLOY_KEY < key.pem
A run is given those that it names, as variables. A password for git is given to none; the hub uses it itself:
  ${call} secret set GITHUB --git https://github.com/acme
Nobody can read a value again, and in what agents say it is replaced by [secret NAME].`
