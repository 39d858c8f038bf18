import { spawn } from 'node:child_process'
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { backgroundEnvironment } from '../known-runs/background-environment.ts'
import type { KnownRun, KnownRuns } from '../known-runs/known-runs.ts'

/** How the process of a runner ended. `said`: the last lines of its output, empty if it ended normally or said nothing. */
export type RunnerEnd =
  | { is: 'not-started'; error: Error }
  | { is: 'killed'; signal: NodeJS.Signals }
  | { is: 'ended'; code: number | null; said: string }

export type RunnerProcess = { pid: number | undefined; log: string; ended: Promise<RunnerEnd> }

type RunnerStart = {
  runs: KnownRuns
  stateFolderPath: string
  /** The program and the first arguments that start this command again. */
  self: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
  after?: number | undefined
  /** False: the files of the folder are not part of the run. */
  syncs?: boolean
}

const shownLines = 4

/**
 * Starts a runner in a process that outlives this one and its terminal, unless the run has a runner here already. With `after`
 * the run moves to this machine, if no other runner has begun after that generation (W46).
 */
export function startRunnerProcess(
  { url, token, at, agent, workspace }: KnownRun,
  { runs, stateFolderPath, self, env, after, syncs = true }: RunnerStart,
): RunnerProcess {
  mkdirSync(runs.placeOf(at.run), { recursive: true, mode: 0o700 })
  const file = runs.logOf(at.run)
  const log = openSync(file, 'a', 0o600)
  const begin = fstatSync(log).size
  const [program, ...first] = self
  const address = `${at.project}/${at.task}/${at.run}`
  const words = ['runner', '--run', address, '--agent', agent, '--workspace', workspace, '--hub', url]
  if (after !== undefined) words.push('--after', String(after))
  if (!syncs) words.push('--no-sync')
  const child = spawn(program, [...first, ...words, '--state', stateFolderPath], {
    cwd: workspace,
    env: backgroundEnvironment(token, env),
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  const lastWords = () =>
    readFileSync(file).subarray(begin).toString('utf8').trim().split('\n').slice(-shownLines).join('\n')
  const ended = new Promise<RunnerEnd>((resolve) => {
    child.on('error', (error) => resolve({ is: 'not-started', error }))
    child.on('exit', (code, signal) => {
      if (signal) return resolve({ is: 'killed', signal })
      resolve({ is: 'ended', code, said: code === 0 ? '' : lastWords() })
    })
  })
  return { pid: child.pid, log: file, ended }
}
