import { spawn } from 'node:child_process'
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import type { CommandContext } from '../context/command-context.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { Trouble } from '../errors/trouble.ts'
import { runInWords } from '../printing/run-in-words.ts'
import type { KnownRun, LocalRuns } from './local-runs.ts'

export type StartedRunner = {
  pid: number | undefined
  /** Resolves to null when it ends as it should, and to what it said if not. */
  ended: Promise<Trouble | null>
}

// What every program needs; the agent's settings are in there too, and the runner passes on only those it names.
const ownSettings = /^FARHAND_(URL|TOKEN|STATE|RUNNER_TOKEN|RUNNER_GENERATION)$/

/** What a process of ours in the background sees; the token is in no argument, which everybody on the machine can read. */
export const environmentFor = (token: string | undefined, { env }: CommandContext) => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !ownSettings.test(name))),
  // Not a grant: whoever has one fences the others before it knows whether it is the one that may begin.
  ...(token !== undefined && { FARHAND_TOKEN: token }),
})

/**
 * Starts a runner in a process of its own that outlives this one and its terminal, unless the run has one by then. With
 * `after` the run comes here with it, if no other runner has begun after that generation (W46).
 */
export function startRunner(
  { url, token, at, agent, workspace }: KnownRun,
  { runs, stateFolderPath }: { runs: LocalRuns; stateFolderPath: string },
  context: CommandContext,
  after?: number,
): StartedRunner {
  mkdirSync(runs.placeOf(at.run), { recursive: true, mode: 0o700 })
  const file = runs.logOf(at.run)
  const log = openSync(file, 'a', 0o600)
  const begin = fstatSync(log).size
  const [program, ...first] = context.self
  const address = `${at.project}/${at.task}/${at.run}`
  const words = ['runner', '--run', address, '--agent', agent, '--workspace', workspace, '--hub', url]
  if (after !== undefined) words.push('--after', String(after))
  const child = spawn(program, [...first, ...words, '--state', stateFolderPath], {
    cwd: workspace,
    env: environmentFor(token, context),
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  const ended = new Promise<Trouble | null>((resolve) => {
    const died = (how: string) => {
      const next = `\`${context.called.farhand} run --run ${runInWords(at.run)}\` goes on with the run. ${file} holds all that it said.`
      resolve(new Trouble('failed', how, next))
    }
    child.on('error', (error) => died(`The runner could not be started: ${error.message}`))
    child.on('exit', (code, signal) => {
      // Somebody else was quicker, and theirs works on what is said here.
      if (code === 0 || code === exitCodes.alreadyRunning.code) return resolve(null)
      if (signal) return died(`The runner was killed (${signal}).`)
      const said = readFileSync(file).subarray(begin).toString('utf8').trim()
      died(`The runner has ended: ${said.split('\n').slice(-4).join('\n') || `with exit code ${code}`}`)
    })
  })
  return { pid: child.pid, ended }
}
