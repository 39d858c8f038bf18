import { expect, onTestFinished, vi } from 'vitest'
import { farhand, type Started, temporaryFolder } from './farhand-under-test.ts'
import type { HubFor, Told } from './link-under-test.ts'
import { RunsHere } from './runs-here.ts'

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

  static async begin(): Promise<RunUnderTest> {
    const [folder, state] = await Promise.all([temporaryFolder(), temporaryFolder()])
    const data = await temporaryFolder()
    // A runner that has gone is not waited for.
    const started = farhand('hub', '--port', '0', '--data', data, '--runner-away-ms', '100', '--json')
    const hub: HubFor = JSON.parse(await started.line())
    // They outlive whoever started them; also a test that has failed.
    onTestFinished(() => endRunners(state))
    return new RunUnderTest(hub, folder, state, data)
  }

  /** Calls a command about this hub, with this state. */
  call(command: string, ...words: string[]): Called {
    const { hub, state } = this
    const started = farhand(command, '--state', state, '--hub', hub.url, '--token', hub.token, ...words)
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
  const runs = new RunsHere(state)
  for (const { at } of runs.all()) {
    const pid = runs.holder(at.run)
    if (pid !== null) process.kill(pid, 'SIGTERM')
    await vi.waitFor(() => expect(runs.holder(at.run)).toBeNull(), { timeout: 10_000 })
  }
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
