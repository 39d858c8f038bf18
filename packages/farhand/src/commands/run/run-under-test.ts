import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { onTestFinished } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import {
  endHolder,
  farhand,
  farhandBin,
  ownEnv,
  type Started,
  temporaryFolder,
} from '../../farhand-under-test.ts'
import type { HubFor, Told } from '../link/link-under-test.ts'
import { hubCommandHere } from '../local-hub/hub-here-under-test.ts'

/** A hub, a folder and a state of their own, in which commands are called as a shell would. */
export class RunUnderTest {
  readonly hub: HubFor
  readonly folder: string
  readonly state: string
  /** Of the hub. */
  readonly data: string

  private constructor(hub: HubFor, folder: string, state: string, data: string) {
    this.hub = hub
    this.folder = folder
    this.state = state
    this.data = data
  }

  static async begin(...settings: string[]): Promise<RunUnderTest> {
    const [folder, state] = await Promise.all([temporaryFolder(), temporaryFolder()])
    // A runner that has gone is not waited for.
    const { data, ...hub } = await hubCommandHere('--runner-away-ms', '100', ...settings)
    // They outlive the process that started them; also a test that has failed.
    onTestFinished(() => endRunners(state))
    return new RunUnderTest(hub, folder, state, data)
  }

  #words(command: string, words: readonly string[]): string[] {
    const { hub, state } = this
    return [command, '--state', state, '--hub', hub.url, '--token', hub.token, ...words]
  }

  /**
   * Calls a command that is not what the test is about, in this process: most of what it takes in one of its own is the
   * start of that. Gives the lines on standard output once it is over, and throws its trouble.
   */
  async here(command: string, ...words: string[]): Promise<string[]> {
    const context = { self: [process.execPath, farhandBin] as const, env: ownEnv(), cwd: process.cwd() }
    const { out, notes, code } = await runHere(this.#words(command, words), context)
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${notes}`)
    return out.split('\n').slice(0, -1)
  }

  /** Calls a command about this hub, with this state. */
  call(command: string, ...words: string[]): Called {
    const started = farhand(...this.#words(command, words))
    return {
      ...started,
      until: async (wanted) => {
        for (;;) {
          const told = JSON.parse(await started.line()) as Told
          if (wanted(told)) return told
        }
      },
      all: async () => {
        const lines: string[] = []
        for (;;) {
          const line = await started.line().catch(() => null)
          if (line === null) return { lines, code: await started.exitCode, errors: started.errors() }
          lines.push(line)
        }
      },
    }
  }

  /** Has the rehearsal work in the folder, without a sandbox unless one is asked for. */
  run(prompt: string, ...words: string[]): Called {
    const where = words.includes('--sandbox') ? [] : ['--here']
    return this.call('run', prompt, '--agent', 'rehearsal', ...where, '--folder', this.folder, ...words)
  }
}

async function endRunners(state: string): Promise<void> {
  const runs = new KnownRuns(state)
  for (const { at } of runs.all()) await endHolder(() => runs.holder(at.run))
}

export type Called = Started & {
  /** Reads lines of JSON until one is like this. */
  until(wanted: (told: Told) => boolean): Promise<Told>
  /** All that it still prints, once it has ended. */
  all(): Promise<{ lines: string[]; code: number | null; errors: string }>
}

/** A line of JSON about an event of the log with this method. */
export const logged = (method: string) => (told: Told) =>
  told.event === 'log' && (told.notification as { method?: string }).method === method
