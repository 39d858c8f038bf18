import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { readLog } from '@farhand/client/follow/read-log'
import { deviceLog } from '@farhand/device/device-process/device-folder'
import type { DeviceRequest } from '@farhand/protocol/schemas/requests'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it, onTestFailed, onTestFinished, vi } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { endHolder, temporaryFolder } from '../farhand-under-test.ts'
import { DeviceUnderTest } from './device/device-under-test.ts'

const password = 'correct horse battery'
const piped = (text: string) => ({ input: () => Readable.from([Buffer.from(`${text}\n`)]) })

let hub: HubProcess
beforeAll(async () => {
  hub = await HubProcess.start({ settings: ['--sandbox', 'process'] })
  await runHere(['user', 'password', 'owner', '--data', hub.data], piped(password))
}, 120_000)
afterAll(() => hub.kill('SIGKILL'))

/** The phone of the same user: it knows the hub only. */
const phone = async (...words: string[]) => {
  const access = ['--hub', hub.url, '--token', hub.token, '--state', await temporaryFolder(), '--json']
  const { out } = await runHere(['requests', ...words, ...access])
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as DeviceRequest)
}

const ends = (id: string, state: DeviceRequest['state']) =>
  vi.waitFor(
    async () => {
      const [request] = await phone('show', id)
      expect(request!.state, JSON.stringify(request!.states)).toBe(state)
      return request!
    },
    { timeout: 120_000, interval: 200 },
  )

async function words({ project, task, run }: DeviceRequest): Promise<string> {
  const said: string[] = []
  for await (const { notification } of readLog({ url: hub.url, token: hub.token }, { project, task, run }))
    if (notification.method === 'agent_message_chunk') said.push(String(notification.params?.text))
  return said.join('')
}

/** What the device process has logged, for a test that fails. */
const logOf = ({ place }: DeviceUnderTest) => readFile(deviceLog(place), 'utf8').catch(() => 'no log')

async function laptop(): Promise<DeviceUnderTest & { folder: string }> {
  const machine = await DeviceUnderTest.begin()
  await runHere(
    ['bind', hub.url, '--user', 'owner', '--name', 'laptop', '--state', machine.place],
    piped(password),
  )
  const folder = await temporaryFolder()
  onTestFailed(async () => console.error(await logOf(machine)))
  // Runners outlive what started them, and write into folders that are removed.
  onTestFinished(() => endHolder(() => machine.folders.holder(folder)))
  return Object.assign(machine, { folder })
}

describe('requests', { timeout: 300_000 }, () => {
  it('from the phone are answered by the computer, also after everything on it was killed, and none is done twice', async () => {
    const machine = await laptop()
    const on = await machine.call(
      'requests',
      'on',
      machine.folder,
      '--agent',
      'rehearsal',
      '--hub',
      hub.url,
      '--json',
    )
    expect([on.code, on.errors]).toEqual([0, expect.any(String)])
    await vi.waitFor(
      async () => expect((await phone('send', 'say here')).at(0)).toMatchObject({ decided: 'device' }),
      {
        timeout: 60_000,
        interval: 500,
      },
    )
    const [first] = (await phone('ls')).filter(({ decided }) => decided === 'device')
    expect(await words(await ends(first!.id, 'done'))).toContain('here')

    const { pid } = await machine.deviceThere()
    const [long] = await phone(
      'send',
      '--needs-device',
      'write a.txt with "one", wait 5 seconds, then say written',
    )
    await ends(long!.id, 'working')
    process.kill(pid, 'SIGKILL')
    await hub.restart('SIGKILL')
    const [later] = await phone('send', '--needs-device', 'append one more line to b.txt')
    await machine.call('requests', 'status')
    expect(await words(await ends(long!.id, 'done'))).toContain('written')
    const { states } = await ends(later!.id, 'done')
    expect(states.map(({ state }) => state).filter((state) => state === 'sent')).toHaveLength(1)
    const log = []
    for await (const { notification } of readLog({ url: hub.url, token: hub.token }, later!))
      log.push(notification.method)
    expect(log.filter((method) => method === '_posthog/user_message')).toHaveLength(1)
    expect(log.filter((method) => method === '_posthog/turn_complete')).toHaveLength(1)
    // What the agent wrote there is no part of the run.
    expect(log).not.toContain('_posthog/file_change')
    await machine.call('requests', 'off')
  })

  it('to a computer that is off are answered in a sandbox within its limits; what the user queues is done when it is back', async () => {
    const machine = await laptop()
    const [request] = await phone(
      'send',
      '--agent',
      'rehearsal',
      String.raw`say "\nFOR YOUR COMPUTER: say printed"`,
    )
    expect(request).toMatchObject({
      decided: 'cloud',
      notice: expect.stringContaining('Your computer is not on'),
    })
    await ends(request!.id, 'done')
    const [offered] = (await phone('ls')).filter(({ part_of }) => part_of === request!.id)
    expect(offered).toMatchObject({ state: 'offered', message: 'say printed' })
    expect((await phone('accept', offered!.id)).at(0)).toMatchObject({ state: 'queued' })
    await hub.restart('SIGKILL')
    const on = await machine.call('requests', 'on', machine.folder, '--agent', 'rehearsal', '--hub', hub.url)
    expect([on.code, on.errors]).toEqual([0, expect.any(String)])
    expect(await words(await ends(offered!.id, 'done'))).toMatch(/printed$/)
    await machine.call('requests', 'off')
  })
})
