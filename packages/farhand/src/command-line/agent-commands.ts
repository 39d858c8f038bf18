import { variablesInWords } from '@farhand/agents/builtin/model/variables'
import { statuses } from '@farhand/device/find-run/run-filter'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
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
      .option(
        '--agent <id>',
        `one that \`${call} agents\` lists; default: the last one used in this folder, or the only one`,
      )
      .option('--folder <folder>', 'the folder it works on; default: the working folder')
      .option('--worktree', 'work in a new git worktree; a second run in the same folder always does')
      .option('--no-worktree', 'never use a worktree: refuse if another run has the folder')
      .option('--here', 'run with your own permissions, without a sandbox, in the folder itself')
      .option('--run <run>', 'join this run instead of beginning a new one')
      .option('--background', 'do not ask you: the policy decides, and without one no question waits for you')
      .addOption(
        new Option('--policy <policy>', 'which permission requests are decided without you').choices([
          'ask',
          'deny',
          'allow-edits',
          'allow-all',
        ]),
      )
      .option('--max-wait <minutes>', 'go on without an answer after this time')
      .option('--max-cost <usd>', 'ask you before the run costs more than this')
      .option('--max-turns <number>', 'ask you before the agent handles more messages than this')
      .option('--max-minutes <number>', 'ask you before the agent works longer than this')
      .option('--detach', 'begin the run and return at once')
      .option('--sandbox [kind]', 'the kind of sandbox: auto, bubblewrap or process')
      .option(
        '--network <network>',
        'the network of the sandbox: full, public, none, or hosts: example.org,*.example.com',
      )
      .option('--setup <command>', 'run this in the sandbox first, for files that are not synced: "npm ci"')
      .option('--idle <time>', 'idle timeout after which the run falls asleep, such as 30m')
      .option('--secret <name>', 'a secret of the project for the environment; can be repeated', repeatable)
      .option('--no-bring', `do not bring what \`${call} bring\` lists`)
      .option('--memory <size>', 'memory limit, such as 4g')
      .option('--cpus <number>', 'processor limit')
      .option('--disk <size>', 'disk limit, such as 10g')
      .option('--processes <number>', 'process limit')
      .option('--remote <url>', 'a repository whose credentials the hub has; can be repeated', repeatable)
      .option('--clone <url>', 'begin with this repository instead of the folder')
      .option('--ref <name>', 'the branch, tag or commit to clone')
      .addOption(
        new Option(
          '--secrets <what>',
          'what to do with files that look like secrets, in a new folder',
        ).choices(['send', 'leave-out']),
      )
      .option('--timings', 'print at the end how long each step of the start took'),
    'print every event of the run as a line of JSON',
  )
    .addHelpText('after', runHelp(call))
    .action(async (prompt: string | undefined, _: unknown, command: Command) => {
      const { agentRun } = await import('../commands/run/agent-run.ts')
      await agentRun(prompt, givenOptions(command), context)
    })

  command('agents', 'list the agents, and whether each can work here')
    .addOption(stateOption())
    .option('--json', 'print one line of JSON for each')
    .addHelpText('after', ownAgents)
    .action(async (_: unknown, command: Command) => {
      const { agentsCommand } = await import('../commands/agents.ts')
      await agentsCommand(givenOptions(command), context)
    })

  withHubOptions(
    command('ls [text]', 'list the runs, newest first')
      .option('--all', 'also older ones')
      .addOption(
        new Option(
          '--status <status>',
          'only runs with this status; `open` means all that are not closed',
        ).choices(statuses),
      )
      .option('--project <project>', 'only runs of this project, by its name or id')
      .option('--agent <id>', 'only runs of this agent'),
    'print one line of JSON for each',
  )
    .addHelpText(
      'after',
      `
With a text, only runs that have it in their title, in the name of their project or in their id:
  ${call} ls parser --status open
  ${call} ls --agent codex --project tool --all`,
    )
    .action(async (text: string | undefined, _: unknown, command: Command) => {
      const { lsCommand } = await import('../commands/ls.ts')
      await lsCommand(text, givenOptions(command), context)
    })

  withHubOptions(
    command('status [run]', 'show the hub, linked folders and runs, or one run and its questions'),
    'print JSON',
  ).action(async (run: string | undefined, _: unknown, command: Command) => {
    const { statusCommand } = await import('../commands/status.ts')
    await statusCommand(run, givenOptions(command), context)
  })

  withHubOptions(
    command('send [run] [text]', 'send a message to the agent of a run')
      .option(
        '--steer',
        'send it into the current turn; an agent that cannot take it there ends the turn first',
      )
      .option('--key <key>', 'a name for this message: sent again with the same key it counts once')
      .option('--follow', 'show what the agent does until its turn is over'),
    'print one line of JSON, and with --follow one for every event',
  )
    .addHelpText(
      'after',
      `
Without a run it goes to the run of the working folder; with - the text is read from standard input:
  ${call} send "and add tests"
  ${call} send run_4fJ2 - < more.md`,
    )
    .action(async (run: string | undefined, text: string | undefined, _: unknown, command: Command) => {
      const { sendCommand } = await import('../commands/send.ts')
      await sendCommand(run, text, givenOptions(command), context)
    })

  withHubOptions(
    command('answer [run] [answer...]', 'answer a question of an agent, or list its questions'),
    'print one line of JSON',
  )
    .addHelpText(
      'after',
      `
By its number, its name, y or n; with several open questions name the question first. Without a run it is for the run of
the working folder:
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
    command('close [run]', 'close a run; its log and its files stay'),
    'print one line of JSON',
  ).action(async (run: string | undefined, _: unknown, command: Command) => {
    const { closeCommand } = await import('../commands/close.ts')
    await closeCommand(run, givenOptions(command), context)
  })

  withHubOptions(
    command('runner', 'host the agent of a run until the run is closed', true)
      .option('--run <run>', 'run_..., or prj_.../tsk_.../run_...')
      .option('--agent <id>', `one that \`${call} agents\` lists`)
      .option('--workspace <folder>', 'the folder it works in; default: the working folder')
      .option('--no-sync', 'leave the files of the folder out of the run')
      .option('--mode <mode>', '`server` also reads messages and controls from files')
      .option('--sessionId <run>', 'the same as --run')
      .option('--messagesPath <file>', 'lines such as {"type":"user_message","content":"..."}')
      .option('--controlPath <file>', 'lines such as {"action":"cancel"} or {"action":"close"}')
      .option(
        '--after <generation>',
        'take over the run from this generation; do nothing if there is a newer one',
      )
      .addOption(new Option('--letter', 'in a sandbox: the runner config is on standard input').hideHelp()),
    'print one line of JSON when it begins and ends',
  )
    .addHelpText(
      'after',
      '\nIt begins the next generation of the runner with your token, or uses the one of FARHAND_RUNNER_TOKEN and\nFARHAND_RUNNER_GENERATION.',
    )
    .action(async (_: unknown, command: Command) => {
      const flags = givenOptions(command)
      if (flags.letter)
        return await (await import('../commands/runner/runner-in-sandbox.ts')).hostRunnerInSandbox(context)
      const { runnerCommand } = await import('../commands/runner/runner-command.ts')
      await runnerCommand(flags, context)
    })

  const own = command('agent', "run one of Farhand's own agents on standard input and output", true)
  for (const name of ['rehearsal', 'builtin'] as const) {
    const help = name === 'builtin' ? variablesInWords(call) : ''
    own
      .command(name)
      .description(`For hosts that speak ACP; users call \`${call} run --agent ${name}\`.`)
      .addHelpText('after', help)
      .action(async () => {
        if (name === 'rehearsal')
          (await import('@farhand/agents/rehearsal/run-rehearsal')).runRehearsal(context.env)
        else (await import('@farhand/agents/builtin/run-builtin')).runBuiltin(context.env)
        // The agent ends the process.
        await new Promise(() => {})
      })
  }
  addAttachCommand(farhand, context)
  addUpCommand(farhand, context)
}

function addAttachCommand(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const attach = addCommand(farhand, context, 'attach [run] [prompt]')
    .summary('come back to a run, from here or another machine')
    .description(
      'Shows what has happened in a run since you looked last, or its newest turn, and goes on as `run` does.\n' +
        'Without a name it is the run of the folder you are in, or the only open one.',
    )
    .option('--detach', 'say something and do not watch')
  withHubOptions(attach, 'print every event of the run as a line of JSON')
    .addHelpText(
      'after',
      `
In the folder of the run, or by the beginning of its id, and with the next message:
  ${call} attach
  ${call} attach run_4fJ2 "and add tests"

On another machine that knows the hub you are asked whether the folder you are in, if it is empty or an unchanged clone
of the same repository, shall be kept in step too.`,
    )
    .action(async (run: string | undefined, prompt: string | undefined, _: unknown, command: Command) => {
      const { attachCommand } = await import('../commands/attach.ts')
      await attachCommand(run, prompt, givenOptions(command), context)
    })
}

function addUpCommand(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const up = addCommand(farhand, context, 'up')
    .summary('open your runs in a browser, or on a phone')
    .description(
      'Prints a link that signs a browser in, once, and starts the hub if there is none. At a terminal `q` shows the link\n' +
        'as a QR code for a phone and `n` makes a new one; Ctrl-C leaves, and the hub goes on.',
    )
    .option('--qr', 'show the QR code at once')
    .option('--lan', 'let others in your network reach the hub that farhand started here, now and later')
    .option('--no-lan', 'reachable from this machine only')
  withHubOptions(up, 'print one line of JSON: where the hub is, the link, and until when it works')
    .addHelpText(
      'after',
      `
For example:
  ${call} up                a link for a browser on this machine
  ${call} up --lan --qr     and a QR code for a phone in the same network

A link works once, within ten minutes, so an old link signs no one in. Where you are signed in is listed in the
settings of the page, where each can be signed out. Notifications on a phone need https: put a server that has it in front,
and start the hub with --public-url https://its.address.`,
    )
    .action(async (_: unknown, command: Command) => {
      const { upCommand } = await import('../commands/up/up-command.ts')
      await upCommand(givenOptions(command), context)
    })
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const ownAgents = `
Any program that speaks the Agent Client Protocol on standard input and output can be an agent. List your own agents
in agents.json in the state folder, which \`agents\` names in its last line:
  [{ "id": "mine", "name": "My agent", "command": "my-agent", "args": ["--acp"],
     "passes": ["MY_KEY"], "install": "npm install --global my-agent" }]
"passes" names the variables that the agent may see beside PATH, HOME and the like. An entry with the "id" of a known agent
adds to that agent: of two settings with the same name yours counts.

In a sandbox it can read the system, its program (with the node_modules in which it is installed) and nothing else
of this machine. Name here what else it needs; every user of the agent at this hub can read it there:
  "readable": ["/opt/my-agent", "~/venvs/mine", "~/.config/my-agent"]
They keep their paths; what begins with ~/ is also in the agent's own home. "programs" names other programs that it
starts, "files" the files to put into its home: { "settings.json": "{}" }. What it keeps there is brought into the next
sandbox, except caches, logs and credentials, or as "memory": { "files": ["x/**"] } says.`

const runHelp = (call: string) => `
The hub makes a sandbox with the folder and its git repository as they are; from then on files are synced both ways.
If there is no hub yet, one of your own is started.
The rehearsal agent needs no model and does what it is told, word for word:
  ${call} run --agent rehearsal "write hello.txt with \\"Hello\\""
  ${call} run --agent rehearsal "write hello.txt" --network none --idle 30m
  ${call} run --agent rehearsal "write hello.txt" --here

At a terminal it waits for your next message. You answer questions there with a key, or with Enter for the default.
Ctrl-C opens a menu: detach, cancel the turn, close the run; pressed twice it detaches. /cancel, /close, /detach,
/mode <mode> and /model <model> do the same, /steer <words> sends a message into the current turn, and /help lists
all of them; Tab completes them, and @files. Only the last lines of a command's output are shown; Ctrl-O shows the rest.

Without a terminal, or with its output piped, it closes the run and ends after the turn, unless you --detach.
Standard output has only the agent's words, standard error the rest, and the exit code says how the turn ended.
A question is printed with the command that answers it, and the run waits; with --background it does not.

What --policy decides: "deny" rejects all permission requests, "allow-edits" allows edits of files in the folder and
asks you about the rest, "allow-all" allows everything, plans included, and "ask", the default, asks you. Other
questions are always asked: after --max-wait each gets its own default, or no answer. At a limit the run waits for
you without end.`
