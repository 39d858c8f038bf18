import { Console } from 'node:console'
import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'
import { serveAcp } from '../acp-program.ts'
import { builtin } from './builtin.ts'
import { chooseModel, type Environment, secretVariables } from './model/model-choice.ts'
import { SessionFile } from './sessions/session-file.ts'

const patienceMs = 1_500

/** Is the built-in agent, on the standard input and output of this process, which ends with it. */
export function runBuiltin(env: Environment): void {
  // A library that prints something would break the line to our host.
  globalThis.console = new Console(process.stderr)

  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
  // Whoever hosted us is gone and reads no more; the end of the input, which comes too, ends us.
  process.stdout.on('error', () => {})

  const { platform, stdin: input, stdout: output } = process
  const served = serveBuiltin({ env, platform, input, output, stop: stop.signal })
  stop.signal.addEventListener('abort', () => void leave())
  void served.then(() => process.exit(0))

  async function leave(): Promise<void> {
    await Promise.race([served, sleep(patienceMs)])
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

/** Runs the built-in agent until its input ends or `stop` aborts; by then every command it started has ended. */
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

/** A command that asks something would wait for ever, and one that a model thought of must not read our keys. */
function commandEnvironment(env: Environment): Record<string, string> {
  const own = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !secretVariables.includes(entry[0]),
  )
  return { ...Object.fromEntries(own), PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' }
}
