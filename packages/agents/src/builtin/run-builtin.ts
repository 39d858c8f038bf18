import { Console } from 'node:console'
import process from 'node:process'
import { within } from '@farhand/kit/within'
import { serveAcp } from '../acp-program.ts'
import { builtin } from './builtin.ts'
import { chooseModel, type Environment, secretVariables } from './model/model-choice.ts'
import { SessionFile } from './sessions/session-file.ts'

const patienceMs = 1_500

/** Runs the built-in agent on standard input and output; ends the process when it is done. */
export function runBuiltin(env: Environment): void {
  // A library that prints to standard output would break the protocol.
  globalThis.console = new Console(process.stderr)

  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
  // The host has gone; the end of our input ends us.
  process.stdout.on('error', () => {})

  const { platform, stdin: input, stdout: output } = process
  const served = serveBuiltin({ env, platform, input, output, stop: stop.signal })
  stop.signal.addEventListener('abort', () => void leave())
  void served.then(() => process.exit(0))

  async function leave(): Promise<void> {
    await within(patienceMs, served)
    process.exit(0)
  }
}

export type BuiltinWorld = {
  env: Environment
  platform: string
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  stop: AbortSignal
}

/** Runs the built-in agent until its input ends or `stop` aborts; then every command it started has ended. */
export async function serveBuiltin({ env, platform, ...io }: BuiltinWorld): Promise<void> {
  const home = env.FARHAND_AGENT_HOME
  const program = builtin({
    version: '0.1.0',
    choice: chooseModel(env),
    environment: env,
    file: home ? new SessionFile(home) : null,
    env: commandEnvironment(env),
    platform,
    mostSteps: Number(env.FARHAND_AGENT_STEPS) > 0 ? Number(env.FARHAND_AGENT_STEPS) : 200,
  })
  await serveAcp(program, io)
}

/** Environment for commands: they must not wait for input, and a command from a model must not read our keys. */
function commandEnvironment(env: Environment): Record<string, string> {
  const own = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !secretVariables.includes(entry[0]),
  )
  return { ...Object.fromEntries(own), PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' }
}
