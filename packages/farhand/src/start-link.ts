import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import type { StateFolder } from '@farhand/sync/state-folder'
import { type Exit, exitCodes } from './exit-codes.ts'
import { type LinkProgress, LinkReports } from './link-reports.ts'
import type { KnownRun } from './runs-here.ts'
import { environmentFor } from './start-runner.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

export type StartedLink = Pick<LinkReports, 'device' | 'inStep'> & {
  /** Resolves to null when it ends as it should, which is with the run, and to what it said if not. */
  ended: Promise<Trouble | null>
}

type How = {
  state: StateFolder
  /** More words for `farhand link`. */
  words?: readonly string[]
  onProgress?: (how: LinkProgress) => void
}

/**
 * Keeps a folder in sync with its run from a process of its own, which outlives this one and its terminal and ends
 * with the run.
 */
export function startLink(
  { url, token, at, workspace }: Pick<KnownRun, 'url' | 'token' | 'at' | 'workspace'>,
  { state, words = [], onProgress = () => {} }: How,
  world: World,
): StartedLink {
  const place = state.placeOf(workspace)
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const file = path.join(place, 'link.log')
  // Anew each time: it is about this process alone, and must not grow for ever.
  const log = openSync(file, 'w', 0o600)
  const [program, ...first] = world.self
  const address = `${at.project}/${at.task}/${at.run}`
  const link = ['link', workspace, '--run', address, '--hub', url, '--state', state.root]
  const child = spawn(program, [...first, ...link, '--json', '--background', ...words], {
    cwd: workspace,
    env: environmentFor(token, world),
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  const reports = new LinkReports(file, onProgress)
  const ended = new Promise<Trouble | null>((resolve) => {
    const over = (how: Trouble | null) => {
      reports.over(how ?? new Trouble('runClosed', `${at.run} was closed.`, 'Begin another one.'))
      resolve(how)
    }
    const goOn = `\`${world.called.farhand} run --run ${at.run}\` links it again. ${file} holds what it said.`
    const died = (how: string) => over(new Trouble('failed', how, goOn))
    child.on('error', (error) => died(`${workspace} could not be linked: ${error.message}`))
    child.on('exit', (code, signal) => {
      if (code === 0) return over(null)
      if (signal) return died(`What kept ${workspace} in sync was killed (${signal}).`)
      const said = reports.lastWords()
      if (!said) return died(`What kept ${workspace} in sync has ended with exit code ${code}.`)
      over(new Trouble(exitOf(code), said.message, said.nextStep ?? goOn))
    })
  })
  return { device: reports.device, inStep: reports.inStep, ended }
}

const exitOf = (code: number | null) =>
  (Object.entries(exitCodes).find(([, one]) => one.code === code)?.[0] ?? 'failed') as Exit
