import { rm } from 'node:fs/promises'
import { readLog } from '@farhand/client/follow/read-log'
import {
  addressOf,
  beginRunner,
  closeRun,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { badNetwork } from '@farhand/testkit/bad-network'
import { HubProcess } from '@farhand/testkit/hub-process'
import { mishaps, type NetworkConditions } from '@farhand/testkit/mishaps'
import { expect, inject, it, onTestFinished } from 'vitest'
import { agent, plain, type Reader, restless, slow, stored } from './cut-readers.ts'
import { type Acknowledged, writeAsDevice, writeAsRunner } from './cut-writers.ts'

const rounds = inject('long') ? 10 : 1
const cuts = 1000 * rounds
const readers: Reader[] = [
  plain,
  plain,
  plain,
  plain,
  stored,
  stored,
  stored,
  agent,
  agent,
  slow,
  restless,
  restless,
]
const storm: NetworkConditions = { mishaps, within: { bytes: 30_000, ms: 150 } }
const wind: NetworkConditions = { mishaps, within: { bytes: 60_000, ms: 1500 } }
/** What a writer has to have met. */
const worst = ['cut', 'stall', 'half-close'] as const
const fast = { silenceMs: 250, backoff: { firstMs: 5, maxMs: 50 } }

async function aHub(): Promise<HubProcess> {
  const hub = await HubProcess.start({ settings: ['--keep-alive-ms', '60', '--close-grace-ms', '0'] })
  onTestFinished(async () => {
    await hub.kill()
    await rm(hub.data, { recursive: true, force: true })
  })
  return hub
}

async function roughRoad(port: number, seed: number, conditions: NetworkConditions) {
  const network = await badNetwork({ port, seed, conditions })
  onTestFinished(() => network.close())
  return network
}

const written = (acknowledged: Acknowledged, log: SeenEvent[]) =>
  expect(log.map(({ id, notification }) => ({ id, notification }))).toEqual(acknowledged)

it(
  `W18 every reader ends with exactly the log after ${cuts} broken connections`,
  async () => {
    const process = await aHub()
    const hub = { url: process.url, token: process.token }
    const project = await createProject(hub, { name: 'Drill' })
    const task = await createTask(hub, project.id, { title: 'Cut' })
    const at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
    const { token, generation } = await beginRunner(hub, at)

    const readersRoad = await roughRoad(process.port, 11, storm)
    const writersRoad = await roughRoad(process.port, 12, wind)
    const reading = readers.map((reader) => reader.read({ ...hub, url: readersRoad.url }, at, fast))
    const [enough, over] = [new AbortController(), new AbortController()]
    // A test that fails has not told writers and readers to stop.
    for (const one of [enough, over]) onTestFinished(() => one.abort())
    const rough = { ...hub, url: writersRoad.url }
    const devices = ['dev_drillA01', 'dev_drillB02'].map((deviceId) => ({ ...rough, deviceId }))
    const writing = [
      writeAsRunner({ ...rough, token }, at, generation, { stop: enough.signal, over: over.signal }),
      ...devices.map((device) => writeAsDevice(device, at, enough.signal)),
    ]

    const all = Promise.all([...reading, ...writing])
    await Promise.race([readersRoad.untilBroken(cuts / 2), all])
    const latecomer = plain.read({ ...hub, url: readersRoad.url }, at, fast)
    await Promise.race([readersRoad.untilBroken(cuts), all, latecomer])
    // Writers have fewer connections: where readers are fast these have not met everything yet.
    while (worst.some((mishap) => writersRoad.counts[mishap] === 0))
      await Promise.race([writersRoad.untilBroken(writersRoad.broken() + 1), all])
    enough.abort()
    const [byRunner, ...byDevices] = await Promise.all(writing)
    // The road stays as bad as it was: the end of the run has to arrive over it, too.
    const brokenBeforeEnd = readersRoad.broken()
    await closeRun(hub, at)
    // The others may hear of the end before their connections break again; who has all of the log to read does not.
    const lastcomer = plain.read({ ...hub, url: readersRoad.url }, at, fast)
    const seen = await Promise.all([...reading, latecomer, lastcomer])
    const brokenUntilEnd = readersRoad.broken() - brokenBeforeEnd

    const log: SeenEvent[] = []
    for await (const event of readLog(hub, at)) log.push(event)
    expect(byRunner!.length).toBeGreaterThan(0)
    for (const acknowledged of byDevices) expect(acknowledged.length).toBeGreaterThan(0)
    expect(log.map(({ id }) => id)).toEqual(log.map((_, nth) => nth + 1))
    for (const [nth, reader] of [...readers, plain, plain].entries()) {
      expect(seen[nth], `reader ${nth}, ${reader.name}`).toEqual(reader.expected(log))
    }
    // The writers went through the same weather: what they were told is stored is, once, in order, and nothing else is.
    written(
      byRunner!,
      log.filter(({ by }) => by.kind === 'runner'),
    )
    byDevices.forEach((acknowledged, nth) => {
      written(
        acknowledged,
        log.filter(({ by }) => by.kind === 'device' && by.id === devices[nth]!.deviceId),
      )
    })
    expect(readersRoad.broken()).toBeGreaterThanOrEqual(cuts)
    expect(brokenUntilEnd).toBeGreaterThan(0)
    for (const mishap of mishaps) expect(readersRoad.counts[mishap], mishap).toBeGreaterThan(0)
    for (const mishap of worst) expect(writersRoad.counts[mishap], mishap).toBeGreaterThan(0)
  },
  600_000 * rounds,
)
