import { BackgroundLinks } from '@farhand/device/device-process/background-links'
import { askDevice, folderStatuses } from '@farhand/device/device-process/call-device'
import { deviceFolder } from '@farhand/device/device-process/device-folder'
import { lockHolder } from '@farhand/sync/state/lock-state'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, onTestFinished, vi } from 'vitest'
import { endHolder, farhand, temporaryFolder } from '../../farhand-under-test.ts'
import type { HubFor } from '../link/link-under-test.ts'

/** A machine with its own state folder; all its processes end with the test. */
export class DeviceUnderTest {
  readonly place: string
  readonly folders: BackgroundLinks

  private constructor(place: string) {
    this.place = place
    this.folders = new BackgroundLinks(new StateFolder(place))
  }

  static async begin(): Promise<DeviceUnderTest> {
    const machine = new DeviceUnderTest(await temporaryFolder())
    onTestFinished(() => machine.#end())
    return machine
  }

  async call(...words: string[]) {
    const started = farhand(...words, '--state', this.place)
    const lines: string[] = []
    for (let line = await next(started); line !== null; line = await next(started)) lines.push(line)
    return { lines, text: lines.join('\n'), code: await started.exitCode, errors: started.errors() }
  }

  /** Has a folder kept in the background, and gives the run that it is linked to. */
  async keep(folder: string, { url, token }: HubFor): Promise<string> {
    const words = ['--run', 'new', '--hub', url, '--token', token, '--json']
    const { lines, errors, code } = await this.call('link', folder, '--background', ...words)
    expect([code, errors]).toEqual([0, expect.any(String)])
    return JSON.parse(lines.at(-1)!).run
  }

  device = () => askDevice(this.place, { ask: 'hello' })

  /** How a folder is, as the device process says. */
  status = async (folder: string) => (await folderStatuses(this.place))?.[folder] ?? null

  inStep = (folder: string) =>
    vi.waitFor(async () => expect((await this.status(folder))?.doing.is).toBe('in-step'), { timeout: 60_000 })

  /** Resolves when there is one and it answers. */
  deviceThere = () =>
    vi.waitFor(
      async () => {
        const says = await this.device()
        if (!says) throw new Error('no device process answers')
        return says
      },
      { timeout: 60_000 },
    )

  /** Resolves with the process that has the folder, when that is another than this. */
  another = (folder: string, before: number | null) =>
    vi.waitFor(
      () => {
        const pid = this.folders.holder(folder)
        if (pid === null || pid === before) throw new Error('no other process has the folder')
        return pid
      },
      { timeout: 60_000 },
    )

  async #end(): Promise<void> {
    // Also if it does not answer.
    await endHolder(() => lockHolder(deviceFolder(this.place)), 'SIGKILL')
    for (const { folder } of this.folders.state.links())
      await endHolder(() => this.folders.holder(folder), 'SIGKILL')
  }
}

const next = (started: { line(): Promise<string> }) => started.line().catch(() => null)
