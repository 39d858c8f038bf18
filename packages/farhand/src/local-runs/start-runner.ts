import { spawn } from 'node:child_process'
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import type { KnownRun, LocalRuns } from '@farhand/device/local-runs/local-runs'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { ProcessContext } from '../context/command-context.ts'
import { exitCodes } from '../errors/exit-codes.ts'

export type StartedRunner = {
  pid: number | undefined
  /** Resolves to null when the runner ends normally, else to the Trouble that ended it. */
  ended: Promise<Trouble | null>
}

// All other variables go along: the agent's settings are among them, and the runner passes on only those that its agent needs.
const ownSettings = /^FARHAND_(URL|TOKEN|STATE|RUNNER_TOKEN|RUNNER_GENERATION)$/

/** The environment of a background process. The token is in it, not in an argument: every user of the machine can read arguments. */
export const environmentFor = (token: string | undefined, { env }: ProcessContext) => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !ownSettings.test(name))),
  // The user's token, not a runner's: a runner's token fences the other runners before this one knows whether it may begin.
  ...(token !== undefined && { FARHAND_TOKEN: token }),
})

/**
 * Starts a runner in a process that outlives this one and its terminal, unless the run has a runner here already. With `after`
 * the run moves to this machine, if no other runner has begun after that generation (W46).
 */
export function startRunner(
  { url, token, at, agent, workspace }: KnownRun,
  { runs, stateFolderPath }: { runs: LocalRuns; stateFolderPath: string },
  context: ProcessContext,
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
      const next = `\`${context.called.farhand} run --run ${runInWords(at.run)}\` goes on with the run. ${file} holds its output.`
      resolve(new Trouble('failed', how, next))
    }
    child.on('error', (error) => died(`The runner could not be started: ${error.message}`))
    child.on('exit', (code, signal) => {
      // Another process has started a runner first, which takes this message.
      if (code === 0 || code === exitCodes.alreadyRunning.code) return resolve(null)
      if (signal) return died(`The runner was killed (${signal}).`)
      const said = readFileSync(file).subarray(begin).toString('utf8').trim()
      died(`The runner has ended: ${said.split('\n').slice(-4).join('\n') || `with exit code ${code}`}`)
    })
  })
  return { pid: child.pid, ended }
}
