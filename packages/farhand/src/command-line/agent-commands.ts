import { variablesInWords } from '@farhand/agents/builtin/model/variables'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { statuses } from '../runs-list/run-filter.ts'
import { addCommand } from './add-command.ts'
import { givenOptions, repeatable } from './given-options.ts'
import { stateOption, withHubOptions } from './hub-options.ts'

/** The commands about agents and their runs. Each loads what it needs when it is called. */
export function addAgentCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const command = (words: string, summary: string, hidden = false) =>
    addCommand(farhand, context, words, { hidden })
      .summary(summary)
      .description(`${upper(summary)}.`)

  withHubOptions(
    command('run [prompt]', 'have an agent work on a folder, in a sandbox')
      .option('--agent <id>', `one that \`${call} agents\` lists; else the one of last time, or the only one`)
      .option('--folder <folder>', 'what it works on; the one you are in if you do not say')
      .option('--worktree', 'in a git worktree of its own; a second run in a folder gets one anyway')
      .option('--no-worktree', 'never in one: refuse if another run has the folder')
      .option('--here', 'without a sandbox, in the folder itself: it may do what you may')
      .option('--run <run>', 'join this one instead of beginning a new one')
      .option(
        '--background',
        'you do not watch: the policy decides, and without one no question waits for you',
      )
      .addOption(
        new Option('--policy <policy>', 'what is decided without you').choices([
          'ask',
          'deny',
          'allow-edits',
          'allow-all',
        ]),
      )
      .option('--max-wait <minutes>', 'go on without you when nobody answers for so long')
      .option('--max-cost <usd>', 'ask before it costs more than this')
      .option('--max-turns <number>', 'ask before it takes on more messages than this')
      .option('--max-minutes <number>', 'ask before it works longer than this')
      .option('--detach', 'begin and do not watch')
      .option('--sandbox [kind]', 'which kind of sandbox: auto, bubblewrap or process')
      .option(
        '--network <network>',
        'what the sandbox may reach: full, public, none, or hosts: example.org,*.example.com',
      )
      .option('--setup <command>', 'run there first, to make what is not synced: "npm ci"')
      .option('--idle <time>', 'fall asleep when nothing has happened for so long, such as 30m')
      .option(
        '--secret <name>',
        'a secret of the project for its environment; as often as you like',
        repeatable,
      )
      .option('--no-bring', `nothing of what \`${call} bring\` lists goes along`)
      .option('--memory <size>', 'at most so much memory, such as 4g')
      .option('--cpus <number>', 'at most so many processors')
      .option('--disk <size>', 'at most so much disk, such as 10g')
      .option('--processes <number>', 'at most so many processes')
      .option(
        '--remote <url>',
        'a repository whose credentials the hub has; as often as you like',
        repeatable,
      )
      .option('--clone <url>', 'begin with this repository, and nothing of this folder')
      .option('--ref <name>', 'the branch, tag or commit of it')
      .addOption(
        new Option('--secrets <what>', 'files of a new folder that look like secrets').choices([
          'send',
          'leave-out',
        ]),
      )
      .option('--timings', 'say at the end how long each step of the start took'),
    'print every event of the run as a line of JSON',
  )
    .addHelpText('after', runHelp(call))
    .action(async (prompt: string | undefined, _: unknown, command: Command) => {
      const { agentRun } = await import('../commands/run/agent-run.ts')
      await agentRun(prompt, givenOptions(command), context)
    })

  command('agents', 'list the agents, and whether they can work here')
    .addOption(stateOption())
    .option('--json', 'print one line of JSON for each')
    .addHelpText('after', ownAgents)
    .action(async (_: unknown, command: Command) => {
      const { agentsCommand } = await import('../commands/agents.ts')
      await agentsCommand(givenOptions(command), context)
    })

  withHubOptions(
    command('ls [text]', 'list the runs, newest first')
      .option('--all', 'also those that are further back')
      .addOption(
        new Option(
          '--status <status>',
          'only those that stand so; `open` is all that are not closed',
        ).choices(statuses),
      )
      .option('--project <project>', 'only those of this project, by its name or id')
      .option('--agent <id>', 'only those of this agent'),
    'print one line of JSON for each',
  )
    .addHelpText(
      'after',
      `
With a text, those that have it in their title, in the name of their project or in their id:
  ${call} ls parser --status open
  ${call} ls --agent codex --project tool --all`,
    )
    .action(async (text: string | undefined, _: unknown, command: Command) => {
      const { lsCommand } = await import('../commands/ls.ts')
      await lsCommand(text, givenOptions(command), context)
    })

  withHubOptions(
    command('status [run]', 'say how all stands here, or one run and what it asks'),
    'print JSON',
  ).action(async (run: string | undefined, _: unknown, command: Command) => {
    const { statusCommand } = await import('../commands/status.ts')
    await statusCommand(run, givenOptions(command), context)
  })

  withHubOptions(
    command('send [run] [text]', 'say something to the agent of a run')
      .option(
        '--steer',
        'say it into the turn that is under way, or end that if the agent cannot hear it there',
      )
      .option('--key <key>', 'a name for this message: sent again under the same one it counts once')
      .option('--follow', 'show what it does, until its turn is over'),
    'print one line of JSON, and with --follow one for every event',
  )
    .addHelpText(
      'after',
      `
Without a run it is for the one of the folder you are in; with - the text is read from standard input:
  ${call} send "and add tests"
  ${call} send run_4fJ2 - < more.md`,
    )
    .action(async (run: string | undefined, text: string | undefined, _: unknown, command: Command) => {
      const { sendCommand } = await import('../commands/send.ts')
      await sendCommand(run, text, givenOptions(command), context)
    })

  withHubOptions(
    command('answer [run] [answer...]', 'answer what an agent asks, or list what it asks'),
    'print one line of JSON',
  )
    .addHelpText(
      'after',
      `
By its number, its name, y or n; with several open questions say which first. Without a run it is for the one of the
folder you are in:
  ${call} answer y
  ${call} answer run_4fJ2 1
  ${call} answer run_4fJ2 qst_9aB "in Esperanto, please"`,
    )
    .action(async (run: string | undefined, words: string[], _: unknown, command: Command) => {
      const { answerCommand } = await import('../commands/answer.ts')
      await answerCommand(run, words, givenOptions(command), context)
    })

  withHubOptions(command('cancel [run]', 'stop what the agent is doing'), 'print one line of JSON').action(
    async (run: string | undefined, _: unknown, command: Command) => {
      const { cancelCommand } = await import('../commands/cancel.ts')
      await cancelCommand(run, givenOptions(command), context)
    },
  )

  withHubOptions(
    command('close [run]', 'end a run; its log and its files stay'),
    'print one line of JSON',
  ).action(async (run: string | undefined, _: unknown, command: Command) => {
    const { closeCommand } = await import('../commands/close.ts')
    await closeCommand(run, givenOptions(command), context)
  })

  withHubOptions(
    command('runner', 'host the agent of a run until the run is closed', true)
      .option('--run <run>', 'run_..., or prj_.../tsk_.../run_...')
      .option('--agent <id>', `one that \`${call} agents\` lists`)
      .option('--workspace <folder>', 'where it works; the one you are in if you do not say')
      .option('--mode <mode>', '`server` also takes messages and controls from files')
      .option('--sessionId <run>', 'the same as --run')
      .option('--messagesPath <file>', 'lines such as {"type":"user_message","content":"..."}')
      .option('--controlPath <file>', 'lines such as {"action":"cancel"} or {"action":"close"}')
      .option('--after <generation>', 'take the run over from this generation, or leave it alone')
      .addOption(new Option('--letter', 'in a sandbox: all it has to know is on standard input').hideHelp()),
    'print one line of JSON when it begins and ends',
  )
    .addHelpText(
      'after',
      '\nIt begins the next generation of the runner as you, or is the one that FARHAND_RUNNER_TOKEN and\nFARHAND_RUNNER_GENERATION were given for.',
    )
    .action(async (_: unknown, command: Command) => {
      const flags = givenOptions(command)
      if (flags.letter)
        return await (await import('../commands/runner/runner-in-sandbox.ts')).hostRunnerInSandbox(context)
      const { runnerCommand } = await import('../commands/runner/runner-command.ts')
      await runnerCommand(flags, context)
    })

  const own = command('agent', 'run an agent of our own on standard input and output', true)
  for (const name of ['rehearsal', 'builtin'] as const) {
    const help = name === 'builtin' ? variablesInWords(call) : ''
    own
      .command(name)
      .description(`Run it as hosts do that speak ACP; \`${call} run --agent ${name}\` is for people.`)
      .addHelpText('after', help)
      .action(async () => {
        const { ownAgentCommand } = await import('../commands/own-agent.ts')
        await ownAgentCommand(name, context)
      })
  }
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const ownAgents = `
Any program that speaks the Agent Client Protocol on its standard input and output can be one. Those of your own are
in agents.json in the state folder, which \`agents\` names in its last line:
  [{ "id": "mine", "name": "My agent", "command": "my-agent", "args": ["--acp"],
     "passes": ["MY_KEY"], "install": "npm install --global my-agent" }]
"passes" names the variables that it may see beside PATH, HOME and their like. An "id" that is listed already adds to
that agent: settings and names are put beside ours, and of two with the same name yours counts.

In a sandbox it can read the system, its program (with the node_modules that this was installed into) and nothing else
of this machine. What else it needs, all who use it at this hub may read there:
  "readable": ["/opt/my-agent", "~/venvs/mine", "~/.config/my-agent"]
These are at their own places, and what begins with ~/ is in its home, too, which is a folder of its own. "programs"
names others that it starts, "files" what is put into that folder: { "settings.json": "{}" }. What it keeps there is
brought into the next sandbox, but for caches, logs and credentials, or as "memory": { "files": ["x/**"] } says.`

const runHelp = (call: string) => `
The folder goes into a sandbox of the hub, its repository as it stands; from then on files are kept in step both ways.
If there is no hub yet, one of your own is started.
An agent that needs no model and does what it is told, word for word:
  ${call} run --agent rehearsal "write hello.txt with \\"Hello\\""
  ${call} run --agent rehearsal "write hello.txt" --network none --idle 30m
  ${call} run --agent rehearsal "write hello.txt" --here

At a terminal it waits for your next message; what it asks is answered there, with a key, or with Enter where it
has a default. Ctrl-C opens a menu: detach, cancel the turn, close the run; pressed twice it detaches. /cancel,
/close, /detach, /mode <mode> and /model <model> do what they say, /steer <words> says them into the turn that is
under way, and /help lists all of them; Tab completes them, and @files. Of what a command printed the last lines are shown; Ctrl-O shows the rest.

Elsewhere, and where its words are piped on, it ends after the turn and closes the run, unless it is told to --detach.
Standard output has nothing but the agent's words, standard error the rest, and the exit code says how the turn ended.
A question is shown with the command that answers it, and waited for; with --background it is not.

What --policy decides: "deny" rejects what the agent asks permission for, "allow-edits" lets it edit files inside
the folder and asks about the rest, "allow-all" allows it everything, plans included, and "ask", as without a
policy, asks you. Other questions are always asked: after --max-wait each gets its own default, or none. Only at a
limit you are waited for however long it takes.`
