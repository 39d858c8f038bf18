import { rm } from 'node:fs/promises'
import { Producer } from '@farhand/client/post/producer'
import { beginRunner, closeRun } from '@farhand/client/resources/resources'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { badNetwork } from '@farhand/testkit/bad-network'
import { HubProcess } from '@farhand/testkit/hub-process'
import type { NetworkConditions } from '@farhand/testkit/mishaps'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hubFolderContract } from '../engine/hub-folder.contract.ts'
import type { HubFolder, Outgoing, VersionToKeep } from '../engine/hub-folder.ts'
import { openHubFolder } from './open-hub-folder.ts'
import { at, file, RunUnderTest } from './run-under-test.ts'

let hub: HubProcess
beforeAll(async () => {
  hub = await HubProcess.start()
})
afterAll(async () => {
  await hub.kill()
  await rm(hub.data, { recursive: true, force: true })
})

const deviceIds = { laptop: newId(DeviceId, 'dev'), desktop: newId(DeviceId, 'dev') }
const never = new AbortController().signal
const backoff = { firstMs: 2, maxMs: 20 }
const wish = (path: string, text: string): Outgoing => ({
  path: at(path),
  entry: file(text),
  was: null,
  size: text.length,
  content: Buffer.from(text),
})
const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => wish(`${name}/${n}.txt`, `${name} number ${n} `.repeat(20)))
const keeping = ({ path, entry, size, content }: Outgoing): VersionToKeep => ({
  path,
  entry: entry!,
  size,
  content: content!,
  why: 'overruled',
})

const deviceFolder = ({ hub, at }: RunUnderTest, url = hub.url) =>
  openHubFolder({
    hub: { ...hub, url },
    at,
    role: { is: 'device', deviceId: newId(DeviceId, 'dev') },
    backoff,
  })

async function runnerFolder(run: RunUnderTest): Promise<HubFolder> {
  const { token, generation } = await beginRunner(run.hub, run.at)
  const runner = { ...run.hub, token }
  // It would try for ever, and the port of this hub is soon that of another test.
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const { signal } = over
  const producer = new Producer(runner, run.at, { id: 'runner', epoch: generation, backoff, signal })
  return openHubFolder({ hub: runner, at: run.at, role: { is: 'runner', producer, generation }, backoff })
}

/** The files that the log names up to an event, and who wrote them. */
async function filesUpTo(
  folder: HubFolder,
  lastId: number,
): Promise<{ path: string; hash: string; by: string }[]> {
  const files: { path: string; hash: string; by: string }[] = []
  for await (const { events } of folder.follow(0, never)) {
    for (const { notification, by } of events) {
      const params = notification.params as never as {
        path?: string
        files?: { path: string; hash: string }[]
      }
      for (const file of params.files ?? (params.path ? [params] : []))
        files.push({ ...(file as { path: string; hash: string }), by: by.kind })
    }
    if ((events.at(-1)?.id ?? 0) >= lastId) break
  }
  return files
}

async function fetchAll(folder: HubFolder, files: readonly Outgoing[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const wanted = files.map(({ entry, size }) => ({ hash: entry!.hash, size }))
  for await (const { hash, bytes } of folder.fetch(wanted, never))
    texts.set(hash, Buffer.from(bytes).toString())
  return texts
}

const textsOf = (files: readonly Outgoing[]) =>
  new Map(files.map(({ entry, content }) => [entry!.hash as string, String(content)]))

describe('a folder at a real hub', () => {
  it('S5 W31 W32 what a device sends is read and fetched by the runner, and the other way round', async () => {
    const run = await RunUnderTest.on(hub)
    const [device, runner] = [deviceFolder(run), await runnerFolder(run)]
    const [mine, theirs] = [many(600, 'mine'), many(600, 'theirs')]
    const large = wish('large.bin', 'x'.repeat(3_000_000))
    const sent = await device.send({ changes: [...mine, large], kept: [keeping(wish('kept', 'k'))] }, never)
    const answer = await runner.send({ changes: theirs, kept: [] }, never)
    expect([sent.dropped, sent.needed, answer.dropped, answer.needed]).toEqual([[], [], [], []])
    const seen = await filesUpTo(device, answer.lastId)
    expect(seen).toHaveLength(1 + 600 + 1 + 600)
    expect(seen.filter(({ by }) => by === 'runner').map(({ path }) => path)).toEqual(
      theirs.map(({ path }) => path),
    )
    expect(await fetchAll(runner, mine)).toEqual(textsOf(mine))
    expect(await fetchAll(device, theirs)).toEqual(textsOf(theirs))
    let length = 0
    for await (const piece of runner.download(large.entry!.hash, never)) length += piece.length
    expect(length).toBe(3_000_000)
  })

  it('S5 W24 says what the hub does not have, and sends the rest', async () => {
    const run = await RunUnderTest.on(hub)
    const device = deviceFolder(run)
    const { content: _, ...bare } = wish('bare', 'this was never sent')
    const sent = await device.send(
      { changes: [bare, wish('whole', 'this was brought along')], kept: [] },
      never,
    )
    expect(sent).toMatchObject({ lastId: 1, dropped: [], needed: ['bare'] })
    const again = await device.send(
      { changes: [{ ...bare, content: Buffer.from('wrong') }], kept: [] },
      never,
    )
    expect(again).toMatchObject({ lastId: 0, dropped: ['bare'], needed: [] })
  })

  it('W12 throws that the run is closed, and its log ends', async () => {
    const run = await RunUnderTest.on(hub)
    const device = deviceFolder(run)
    await device.send({ changes: [wish('a', 'a')], kept: [] }, never)
    await closeRun(run.hub, run.at)
    await expect(device.send({ changes: [wish('b', 'b')], kept: [] }, never)).rejects.toMatchObject({
      code: 'run.closed',
    })
    let last = 0
    for await (const { events } of device.follow(0, never)) last = events.at(-1)?.id ?? last
    expect(last).toBeGreaterThan(1)
  })

  it('W8 throws that a newer runner has taken over', async () => {
    const run = await RunUnderTest.on(hub)
    const runner = await runnerFolder(run)
    await runnerFolder(run)
    await expect(runner.send({ changes: [wish('a', 'a')], kept: [] }, never)).rejects.toMatchObject({
      code: 'runner.fenced',
    })
    await expect(fetchAll(runner, [wish('a', 'a')])).rejects.toMatchObject({ code: 'runner.fenced' })
  })

  it('S5 writes each thing once and fetches it whole through a network that breaks', {
    timeout: 300_000,
  }, async () => {
    const run = await RunUnderTest.on(hub)
    // Without those that only silence tells: they would take the time that a dead line is given.
    const conditions: NetworkConditions = {
      mishaps: ['cut', 'reset', 'half-close'],
      within: { bytes: 40_000, ms: 250 },
    }
    const network = await badNetwork({ port: hub.port, seed: 7, conditions })
    onTestFinished(() => network.close())
    const device = deviceFolder(run, network.url)
    const sets = Array.from({ length: 20 }, (_, n) => many(40, `set ${n}`))
    let lastId = 0
    for (const set of sets) {
      const sent = await device.send(
        { changes: set.slice(1), kept: [keeping(set[0]!), keeping(set[0]!)] },
        never,
      )
      expect([sent.dropped, sent.needed]).toEqual([[], []])
      lastId = sent.lastId
      expect(await fetchAll(device, set)).toEqual(textsOf(set))
    }
    expect(lastId).toBe(sets.length * 3)
    const seen = await filesUpTo(deviceFolder(run), lastId)
    expect(seen).toHaveLength(sets.length * 41)
    expect(network.broken()).toBeGreaterThan(0)
  })
})

hubFolderContract('over the network', async () => {
  const run = await RunUnderTest.on(hub)
  return {
    device: (name) =>
      openHubFolder({ hub: run.hub, at: run.at, role: { is: 'device', deviceId: deviceIds[name] }, backoff }),
    runner: () => runnerFolder(run),
    entry: file,
    bytes: (text) => Buffer.from(text),
    size: (text) => text.length,
    large: 'large '.repeat(300_000),
  }
})
