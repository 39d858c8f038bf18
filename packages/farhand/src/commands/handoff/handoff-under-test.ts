import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { addressOf, findRun } from '@farhand/client/resources/resources'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { folderHolder } from '@farhand/device/linked-folders/lock-folder'
import { RunId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, onTestFinished } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { endHolder, farhandBin, temporaryFolder } from '../../farhand-under-test.ts'
import type { Told } from '../link/link-under-test.ts'
import { type Called, RunUnderTest } from '../run/run-under-test.ts'

/** A run that is handed over by calls of the command, in a folder with a repository. */
export class HandoffUnderTest {
  readonly test: RunUnderTest
  readonly run: RunId

  private constructor(test: RunUnderTest, run: RunId) {
    this.test = test
    this.run = run
  }

  /** Begins with this message in a sandbox, and resolves when its turn is over. */
  static async begin(prompt: string, agent = 'rehearsal'): Promise<HandoffUnderTest> {
    const test = await RunUnderTest.begin()
    const { folder, state } = test
    onTestFinished(() => endHolder(() => folderHolder(new StateFolder(state), folder)))
    git(folder, 'init', '--quiet', '--initial-branch=main')
    await writeFile(path.join(folder, 'a.txt'), 'one')
    git(folder, 'add', '--all')
    git(folder, 'commit', '--quiet', '--message', 'first')
    const words = ['--sandbox', 'process', '--json', '--detach', '--agent', agent]
    const begun = test.run(prompt, ...words)
    const { run } = await begun.until((told) => told.event === 'run')
    await begun.all()
    const handoff = new HandoffUnderTest(test, RunId.parse(run))
    onTestFinished(async () => void (await test.here('close', handoff.run)))
    return handoff
  }

  /** Hands the run over; with `killAt` the command is killed when it prints that step. Returns the printed steps. */
  async to(where: 'here' | 'cloud', killAt?: string): Promise<string[]> {
    const handing = this.start(where)
    const steps: string[] = []
    for (;;) {
      const line = await handing.line().catch(() => null)
      if (line === null) break
      const told = JSON.parse(line) as Told
      const step = String(told.step ?? told.event)
      // Whether its runner has something to do first, and is asked again, is a matter of time.
      if (step !== 'busy' && step !== steps.at(-1)) steps.push(step)
      if (told.step === killAt && killAt !== undefined) handing.child.kill('SIGKILL')
      if (told.event === 'error') throw new Error(String(told.message))
    }
    await handing.exitCode
    return steps
  }

  /** Hands the run over from another machine and an unrelated folder, and checks that both stay unrelated. */
  async toCloudElsewhere(): Promise<string[]> {
    const [cwd, place] = await Promise.all([temporaryFolder(), temporaryFolder()])
    await writeFile(path.join(cwd, 'other.txt'), 'of another project')
    const { url, token } = this.test.hub
    const words = ['handoff', this.run, '--to', 'cloud', '--json', '--hub', url, '--token', token]
    const self = [process.execPath, farhandBin] as const
    const { out } = await runHere([...words, '--state', place], {
      cwd,
      self,
      env: { PATH: process.env.PATH },
    })
    const state = new StateFolder(place)
    await endHolder(() => folderHolder(state, cwd))
    expect([state.links(), new KnownRuns(place).all()]).toEqual([[], []])
    const told = out.trim().split('\n')
    return told.map((line) => JSON.parse(line)).map(({ step, event }) => step ?? event)
  }

  start(where: 'here' | 'cloud', ...words: string[]): Called {
    const kind = where === 'cloud' ? ['--sandbox', 'process'] : []
    return this.test.call('handoff', this.run, '--to', where, '--json', ...kind, ...words)
  }

  /** Says something, and gives what the agent says to it. */
  async says(text: string): Promise<string> {
    return (await this.test.here('send', this.run, text, '--follow')).join('\n')
  }

  async events(): Promise<SeenEvent[]> {
    const { hub } = this.test
    const at = addressOf(await findRun(hub, this.run))
    const events: SeenEvent[] = []
    for await (const event of readLog(hub, at, {})) events.push(event)
    return events
  }

  /** How each agent of the run began. */
  async begun(): Promise<unknown[]> {
    return (await this.events()).flatMap(({ notification: { method, params } }) =>
      method === '_posthog/agent_start' ? [params?.how] : [],
    )
  }

  /** The output of `status` about where the run works. */
  async where(): Promise<string> {
    return (await this.test.here('status', this.run)).join('\n')
  }

  text(name: string): Promise<string> {
    return readFile(path.join(this.test.folder, name), 'utf8')
  }
}

export const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', HOME: cwd },
  })
