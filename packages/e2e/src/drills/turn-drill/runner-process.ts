import type { Hub } from '@farhand/client/requests/hub'
import { processTable } from '@farhand/device/drill/process-table'
import { command, ProgramProcess } from '@farhand/testkit/program-process'

export type RunnerProcessOptions = {
  run: string
  hub: Hub
  workspace: string
  state: string
  /** Further words of the command line, such as `--mode server`. */
  settings?: readonly string[]
}

/** A runner with the rehearsal agent, in a process of its own, however often that dies and comes back. */
export class RunnerProcess extends ProgramProcess {
  readonly #words: readonly string[]

  constructor({ run, hub, workspace, state, settings = [] }: RunnerProcessOptions) {
    super('the runner')
    const where = ['--run', run, '--hub', hub.url, '--token', hub.token ?? '', '--state', state]
    const what = ['--agent', 'rehearsal', '--workspace', workspace]
    this.#words = [process.execPath, command, 'runner', ...where, ...what, ...settings, '--json']
  }

  /** Begins a new life; resolves when it has taken its seat, rejects if it ends before that. */
  async spawn(): Promise<void> {
    const line = await this.begin(this.#words)
    if (line.includes('"hosting"')) return
    await this.gone()
    throw new Error(`the runner did not begin: ${line}`)
  }

  /** Whether it hosts an agent at this moment, as far as processes can be listed here. */
  get hasAgent(): boolean {
    return childrenOf(this.pid).length > 0
  }

  /** Kills the agent it hosts; whether there was one, as far as processes can be listed here. */
  killAgent(): boolean {
    const agents = childrenOf(this.pid)
    for (const pid of agents) kill(pid)
    return agents.length > 0
  }
}

const childrenOf = (parent: number | undefined): number[] =>
  processTable(process.platform).flatMap((row) => (row.parent === parent ? [row.pid] : []))

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended since.
  }
}
