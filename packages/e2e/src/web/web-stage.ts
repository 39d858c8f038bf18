import { mkdirSync } from 'node:fs'
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  closeRun,
  createProject,
  createRun,
  createTask,
  findRun,
  listAllRuns,
} from '@farhand/client/resources/resources'
import type { ProjectId, RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { HubProcess } from '@farhand/testkit/hub-process'
import { RunnerProcess } from '../drills/turn-drill/runner-process.ts'
import { Browsers } from './browsers.ts'

/** A hub, runs with the rehearsal agent, and browsers to look at them: everything real, everything in its own process. */
export class WebStage {
  readonly home: string
  readonly process: HubProcess
  readonly hub: Hub
  readonly browsers: Browsers
  readonly #project: ProjectId
  readonly #runners: RunnerProcess[] = []

  private constructor(home: string, process: HubProcess, browsers: Browsers, project: ProjectId) {
    this.home = home
    this.process = process
    this.hub = { url: process.url, token: process.token }
    this.browsers = browsers
    this.#project = project
  }

  /** `settings` are further words of the hub's command line. */
  static async set(settings: readonly string[] = []): Promise<WebStage> {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'farhand-web-')))
    const process = await HubProcess.start({ data: join(home, 'hub'), settings })
    const hub: Hub = { url: process.url, token: process.token }
    const [project, browsers] = await Promise.all([
      createProject(hub, { name: 'Garden' }),
      Browsers.start(hub),
    ])
    return new WebStage(home, process, browsers, project.id)
  }

  /** A run without a runner. */
  async emptyRun(title: string): Promise<RunAddress> {
    const task = await createTask(this.hub, this.#project, { title })
    return addressOf(await createRun(this.hub, this.#project, task.id, { sandbox: 'none' }))
  }

  /** Where a run lives that was begun in a page. */
  async addressOf(run: RunId): Promise<RunAddress> {
    return addressOf(await findRun(this.hub, run))
  }

  /** A run with an agent. */
  async run(title: string): Promise<RunAddress> {
    const at = await this.emptyRun(title)
    await this.host(at)
    return at
  }

  /** Gives a run an agent: the rehearsal, unless the state folder has another one of that name. */
  async host(at: RunAddress): Promise<void> {
    const [workspace, state] = [this.workspaceOf(at), this.stateOf(at)]
    mkdirSync(workspace)
    const runner = new RunnerProcess({ run: at.run, hub: this.hub, workspace, state })
    this.#runners.push(runner)
    await runner.spawn()
  }

  stateOf({ run }: RunAddress): string {
    return join(this.home, `state-${run}`)
  }

  workspaceOf({ run }: RunAddress): string {
    return join(this.home, `workspace-${run}`)
  }

  /** Says something from elsewhere, as a terminal would. */
  async say(at: RunAddress, content: string): Promise<number> {
    const message = { jsonrpc: '2.0', method: '_posthog/user_message', params: { content } } as const
    return (await post(this.hub, at, message)).lastEventId
  }

  /** The first event after that one which is like this. */
  async until(at: RunAddress, after: number, isLike: (event: SeenEvent) => boolean): Promise<SeenEvent> {
    const from = { envelope: 'stored', after } as const
    for await (const event of follow(this.hub, at, from)) if (isLike(event)) return event
    throw new Error('the run was closed before that')
  }

  /** Has the agent do something, and waits until the turn is over. */
  async turn(at: RunAddress, content: string): Promise<void> {
    const id = await this.say(at, content)
    await this.until(at, id, ({ notification }) => notification.method === '_posthog/turn_complete')
  }

  /** A sandbox outlives its hub, for some time even its folder. */
  async #endSandboxes(): Promise<void> {
    const sandboxes = async () => await readdir(join(this.home, 'hub/sandboxes')).catch(() => [])
    if ((await sandboxes()).length === 0) return
    for (const run of (await listAllRuns(this.hub)).items)
      if (run.sandbox !== 'none') await closeRun(this.hub, addressOf(run))
    while ((await sandboxes()).length > 0) await new Promise((resolve) => setTimeout(resolve, 100))
  }

  async close(): Promise<void> {
    await this.browsers.close()
    await Promise.all(this.#runners.map((runner) => runner.kill()))
    await this.#endSandboxes()
    await this.process.kill()
    await rm(this.home, { recursive: true, force: true })
  }
}
