import { homedir } from 'node:os'
import process from 'node:process'
import { addAbortSignal } from 'node:stream'
import { Trouble } from '@farhand/device/trouble/trouble'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { exitCodes } from './command-line/errors/exit-codes.ts'
import type { CommandContext } from './context/command-context.ts'
import { commandNames } from './context/command-names.ts'
import { orderedOutput } from './context/ordered-output.ts'
import type { KeyedTerminal } from './terminal/keys/keyed-terminal.ts'
import { paint } from './terminal/printing/paint.ts'
import { wrapWords } from './terminal/printing/wrap-words.ts'
import type { TypedLines } from './terminal/prompts/typed-lines.ts'

// npm forwards the Ctrl-C that the terminal has already sent to the whole process group: one press arrives twice.
const echoMs = 1_000
// No user presses a key twice as fast as npm forwards it.
const tapMs = 80

let interrupt: (() => void) | null = null
let interruptedAt = 0

const isDumb = process.env.TERM === 'dumb'
const color = process.stdout.isTTY === true && !process.env.NO_COLOR && !isDumb
const isUserHere = process.stdin.isTTY && process.stderr.isTTY
const unread = new AbortController()
let typed: Promise<TypedLines> | null = null
const written = orderedOutput(process.stdout, process.stderr)
/** Set while a screen is drawn at the bottom of the terminal: it prints all other output itself. */
let diverted: ((text: string) => void) | null = null
// Piped output is not wrapped.
const columnsOf = ({ isTTY, columns }: NodeJS.WriteStream) => (isTTY && columns) || Number.POSITIVE_INFINITY
const context: CommandContext = {
  called: commandNames({ env: process.env, script: process.argv[1], cwd: process.cwd() }),
  env: process.env,
  out: (text) => (diverted ?? written.out)(text),
  note: (text) => (diverted ? diverted(text) : written.note(wrapWords(text, columnsOf(process.stderr)))),
  color,
  columns: columnsOf(process.stdout),
  isPiped: process.stdout.isTTY !== true,
  unread: unread.signal,
  terminal: process.stderr.isTTY === true,
  ask: isUserHere ? atTerminal : null,
  askHidden: isUserHere ? unseenAtTerminal : null,
  lines: isUserHere ? typedLines : null,
  keyed: isUserHere && process.stdout.isTTY && !isDumb ? keyedTerminal : null,
  input: process.stdin.isTTY ? null : (signal) => addAbortSignal(signal, process.stdin),
  isTyping: isUserHere ? () => typist().then((one) => one.isTyping()) : null,
  onInterrupt,
  self: [process.execPath, process.argv[1] ?? ''],
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  stop: stopOnSignals(),
}

// `farhand user list | head -1` closes the pipe early, which is no reason to fail.
process.stdout.on('error', () => unread.abort())
process.stderr.on('error', () => {})

void run()

async function run(): Promise<void> {
  try {
    // The thread starts while the rest of the command is loaded.
    if (process.argv[2] === 'link') {
      const { warmDiskWorker } = await import('@farhand/sync/disk/disk-worker')
      warmDiskWorker()
    }
    const [command, flag, state] = process.argv.slice(2)
    // It is started by other commands, which wait for it, and runs for long: it loads none of them.
    if (command === 'device' && flag === '--state' && process.argv.length === 5) {
      const { deviceCommand } = await import('./commands/device/device-command.ts')
      return await deviceCommand({ state }, context)
    }
    const { runCommand } = await import('./command-line/run-command.ts')
    process.exitCode = await runCommand(process.argv.slice(2), context)
  } catch (error) {
    tell(error)
  }
}

async function atTerminal(question: string, signal: AbortSignal): Promise<string> {
  const { askPerson } = await import('./terminal/prompts/ask-person.ts')
  const ended = () => process.emit('SIGINT', 'SIGINT')
  return askPerson({ input: process.stdin, output: process.stderr }, question, signal, ended)
}

async function unseenAtTerminal(question: string, signal: AbortSignal): Promise<string | null> {
  const { askHidden } = await import('./terminal/prompts/ask-hidden.ts')
  const interrupt = () => process.emit('SIGINT', 'SIGINT')
  return askHidden({ input: process.stdin, output: process.stderr }, question, signal, interrupt)
}

function typist(): Promise<TypedLines> {
  // No real signal: on Windows process.kill would end this process at once.
  const interrupt = () => process.emit('SIGINT', 'SIGINT')
  typed ??= import('./terminal/prompts/typed-lines.ts').then(
    ({ TypedLines }) => new TypedLines(process.stdin, interrupt),
  )
  return typed
}

async function* typedLines(signal: AbortSignal): AsyncGenerator<string> {
  yield* (await typist()).lines(signal)
}

async function keyedTerminal(): Promise<KeyedTerminal> {
  const { RawTerminal } = await import('./terminal/keys/raw-terminal.ts')
  const divert = (says: typeof diverted) => {
    diverted = says
  }
  return new RawTerminal({ input: process.stdin, output: process.stdout, process, divert })
}

function onInterrupt(act: () => void): () => void {
  interrupt = act
  return () => {
    if (interrupt === act) interrupt = null
  }
}

function stopOnSignals(): AbortSignal {
  const stop = new AbortController()
  let firstAt = 0
  const onSignal = (signal: string) => {
    if (signal === 'SIGINT' && interrupt && !stop.signal.aborted) {
      if (Date.now() - interruptedAt > tapMs) interrupt()
      interruptedAt = Date.now()
      return
    }
    if (stop.signal.aborted && Date.now() - firstAt > echoMs) process.exit(exitCodes.interrupted.code)
    if (!stop.signal.aborted) firstAt = Date.now()
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  return stop.signal
}

// Some messages contain file names or texts of a hub.
const shown = (text: string) => text.split('\n').map(lineInWords).join('\n')

function tell(error: unknown): void {
  const { red } = paint(color)
  const known = error instanceof Trouble
  const message = error instanceof Error ? error.message : String(error)
  const nextStep = known ? error.nextStep : 'Run it again with FARHAND_DEBUG=1 to see where this comes from.'
  // A user cannot run a runner in a sandbox again; its last output is in the log of its run.
  const isInside = !known && process.argv.includes('--letter')
  context.note(`${red(shown(message))}\n${isInside ? '' : `${shown(nextStep)}\n`}`)
  if (process.env.FARHAND_DEBUG)
    process.stderr.write(`${error instanceof Error ? shown(error.stack ?? '') : ''}\n`)
  process.exitCode = exitCodes[known ? error.exit : 'failed'].code
}
