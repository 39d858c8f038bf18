import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import { DeviceId } from '@farhand/protocol/wire/ids'
import type { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { DeviceLife } from './device-life.ts'
import { openHubFolder } from './open-hub-folder.ts'
import { at, file, hubForTests, RunUnderTest } from './run-under-test.ts'

let started: { hub: HubProcess; close(): Promise<void> }
beforeAll(async () => {
  started = await hubForTests()
})
afterAll(() => started.close())

const signal = new AbortController().signal
const device = DeviceId.parse('dev_laptop0000')

describe('the lives of a device', () => {
  let run: RunUnderTest
  let memory: string
  beforeEach(async () => {
    run = await RunUnderTest.on(started.hub)
    memory = mkdtempSync(join(tmpdir(), 'farhand-life-'))
    onTestFinished(() => rmSync(memory, { recursive: true }))
  })
  const born = async (nowMs: number, name = 'laptop') => {
    const life = new DeviceLife({ device, name, memory }, nowMs)
    await life.begin(run.hub, run.at, { signal })
    return life
  }
  const said = async () => {
    const names: unknown[] = []
    for await (const { notification } of readLog(run.hub, run.at))
      if (notification.method === '_posthog/device_start') names.push(notification.params?.name)
    return names
  }

  it('W34 are told to the run at first, after a death and with another name, and else not', async () => {
    ;(await born(1)).end()
    ;(await born(2)).end()
    expect(await said()).toEqual(['laptop'])
    await born(3)
    await born(4)
    expect(await said()).toEqual(['laptop', 'laptop'])
    const unanswered = await born(5)
    unanswered.underWay = 1
    unanswered.end()
    ;(await born(6)).end()
    ;(await born(7, 'desk')).end()
    expect(await said()).toEqual(['laptop', 'laptop', 'laptop', 'laptop', 'desk'])
  })

  it('W34 end whether or not that can be noted: the next one takes it for a death', async () => {
    const life = await born(1)
    rmSync(memory, { recursive: true })
    life.end()
    ;(await born(2)).end()
    expect(await said()).toEqual(['laptop', 'laptop'])
  })

  it('W34 have growing numbers, even if the clock was set back or the number was lost', async () => {
    const first = await born(1_000)
    const second = await born(10)
    expect(second.number).toBe(1_001)
    writeFileSync(join(memory, 'life'), '')
    const third = await born(20)
    expect(third.number).toBe(1_002)
    const late = post({ ...run.hub, deviceId: device, deviceLife: first.number }, run.at, {
      jsonrpc: '2.0',
      method: '_posthog/pause',
    })
    await expect(late).rejects.toMatchObject({ code: 'device.fenced', details: { current: 1_002 } })
  })

  const content = { content: Buffer.from('a'), size: 1 }
  const kept = (path: string) => ({ path: at(path), entry: file('a'), why: 'overruled' as const, ...content })
  it.each([
    ['a change', { changes: [{ path: at('a'), entry: file('a'), was: null, ...content }], kept: [] }],
    ['versions to keep', { changes: [], kept: [kept('a'), kept('b')] }],
  ])('W34 count as clean when everything that was sent was answered, refused or not: %s', async (_, what) => {
    const life = await born(1)
    const hub = openHubFolder({ hub: run.hub, at: run.at, role: { is: 'device', deviceId: device, life } })
    await hub.send(what, signal)
    expect(life.underWay).toBe(0)
    await born(2)
    const refused = hub.send(what, signal)
    await expect(refused).rejects.toMatchObject({ code: 'device.fenced' })
    expect(life.underWay).toBe(0)
    const stop = new AbortController()
    const given = { hub: { ...run.hub, url: 'http://127.0.0.1:9' }, at: run.at }
    const onConnection = () => stop.abort()
    const away = openHubFolder({ ...given, role: { is: 'device', deviceId: device, life }, onConnection })
    const sending = away.send(what, stop.signal)
    await expect(sending).rejects.toThrow()
    expect(life.underWay).toBe(1)
  })
})
