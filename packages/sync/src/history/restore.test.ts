import { readBlob } from '@farhand/client/blobs/download-blob'
import { post } from '@farhand/client/post/post'
import type { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, file, hashOf, hubForTests, RunUnderTest } from '../hub/run-under-test.ts'
import { history, versionsOf } from './history.ts'
import { restore } from './restore.ts'

let hub: HubProcess
let close: () => Promise<void>
beforeAll(async () => ({ hub, close } = await hubForTests()))
afterAll(() => close())

const shown = (versions: Awaited<ReturnType<typeof history>>) =>
  versions.map(({ eventId, entry, state, size }) => [eventId, entry?.hash ?? null, size, state])

describe('history', () => {
  it('S4 lists every version of a path, newest first: current, replaced, overruled, deleted and kept', async () => {
    const run = await RunUnderTest.on(hub)
    const one = await run.device('ada', { path: 'a.txt', text: 'one' })
    const two = await run.device('ada', { path: 'a.txt', text: 'two!', was: 'one' })
    const rival = await run.device('bob', { path: 'a.txt', text: 'bob', was: null })
    const gone = await run.device('ada', { path: 'a.txt', text: null, was: 'two!' })
    await run.store('aside')
    const kept = (
      await post(run.hub, run.at, {
        jsonrpc: '2.0',
        method: '_posthog/file_kept',
        params: { path: 'a.txt', hash: hashOf('aside'), why: 'replaced' },
      })
    ).lastEventId
    const back = await run.device('ada', { path: 'a.txt', text: 'back', was: null })
    expect(shown(await history(run.hub, run.at, 'a.txt'))).toEqual([
      [back, hashOf('back'), 4, 'current'],
      [kept, hashOf('aside'), null, 'kept'],
      [gone, null, null, 'replaced'],
      [rival, hashOf('bob'), 3, 'overruled'],
      [two, hashOf('two!'), 4, 'deleted'],
      [one, hashOf('one'), 3, 'replaced'],
    ])
    const { by } = (await history(run.hub, run.at, 'a.txt')).at(-1)!
    expect(by).toEqual({ kind: 'device', id: 'dev_ada00000' })
  })

  it('S3 a file that another one pushed aside is deleted in its own history too', async () => {
    const run = await RunUnderTest.on(hub)
    const inside = await run.device('ada', { path: 'a/b', text: 'inside' })
    const above = await run.device('ada', { path: 'a', text: 'now a file' })
    expect(shown(await history(run.hub, run.at, 'a/b'))).toEqual([
      [above, null, null, 'current'],
      [inside, hashOf('inside'), 6, 'deleted'],
    ])
  })

  it('names similar paths when there is no such path', async () => {
    const run = await RunUnderTest.on(hub)
    await run.device('ada', { path: 'src/main.ts', text: 'x' }, { path: 'README.md', text: 'y' })
    await expect(history(run.hub, run.at, 'main.ts')).rejects.toThrow(
      'File not found in this run: main.ts. Did you mean src/main.ts',
    )
    await expect(history(run.hub, run.at, 'src/mian.ts')).rejects.toMatchObject({ kind: 'path' })
  })
})

describe('restore', () => {
  it('S4 puts a version back so that it counts, and keeps the one it replaced', async () => {
    const run = await RunUnderTest.on(hub)
    const one = await run.device('ada', { path: 'a.txt', text: 'one' })
    const two = await run.runner({ path: 'a.txt', text: 'two', was: 'one' })
    const done = await restore(run.hub, run.at, 'a.txt', one)
    expect(done).toMatchObject({ eventId: two + 1, replaced: { eventId: two }, version: { eventId: one } })
    const { tree } = await versionsOf(run.hub, run.at)
    expect(tree.entry(at('a.txt'))).toEqual(file('one'))
    expect((await restore(run.hub, run.at, 'a.txt', two)).eventId).toBe(two + 2)
    expect(new TextDecoder().decode(await readBlob(run.hub, run.at, hashOf('two')))).toBe('two')
  })

  it('S4 puts back what was overruled or put aside and never was in the tree', async () => {
    const run = await RunUnderTest.on(hub)
    await run.device('ada', { path: 'a.txt', text: 'ada' })
    const overruled = await run.runner({ path: 'a.txt', text: 'agent' })
    await restore(run.hub, run.at, 'a.txt', overruled)
    expect((await versionsOf(run.hub, run.at)).tree.entry(at('a.txt'))).toEqual(file('agent'))
  })

  it('deletes when the version is a deletion, and says so when nothing had to be done', async () => {
    const run = await RunUnderTest.on(hub)
    await run.device('ada', { path: 'a.txt', text: 'one' })
    const gone = await run.device('ada', { path: 'a.txt', text: null, was: 'one' })
    await run.device('ada', { path: 'a.txt', text: 'two', was: null })
    expect((await restore(run.hub, run.at, 'a.txt', gone)).eventId).not.toBeNull()
    expect((await versionsOf(run.hub, run.at)).tree.entry(at('a.txt'))).toBeNull()
    expect((await restore(run.hub, run.at, 'a.txt', gone)).eventId).toBeNull()
  })

  it('tries again when another device was faster', async () => {
    const run = await RunUnderTest.on(hub)
    const one = await run.device('ada', { path: 'a.txt', text: 'one' })
    await run.device('ada', { path: 'a.txt', text: 'two', was: 'one' })
    let crossed = false
    const slow: typeof fetch = async (input, init) => {
      if (init?.method === 'POST' && !crossed) {
        crossed = true
        await run.device('bob', { path: 'a.txt', text: 'bob', was: 'two' })
      }
      return fetch(input, init)
    }
    await restore({ ...run.hub, fetch: slow }, run.at, 'a.txt', one)
    const states = (await history(run.hub, run.at, 'a.txt')).map(({ state }) => state)
    expect(states).toEqual(['current', 'overruled', 'replaced', 'replaced', 'replaced'])
    expect((await versionsOf(run.hub, run.at)).tree.entry(at('a.txt'))).toEqual(file('one'))
  })

  it('S4 puts back the version that an event put aside, and no other', async () => {
    const run = await RunUnderTest.on(hub)
    const one = await run.device('ada', { path: 'a.txt', text: 'ada' })
    await run.store('aside')
    const params = { path: 'a.txt', hash: hashOf('aside'), why: 'overruled' }
    const kept = await post(run.hub, run.at, { jsonrpc: '2.0', method: '_posthog/file_kept', params })
    const last = await run.device('ada', { path: 'b.txt', text: 'sent with it' })
    await expect(restore(run.hub, run.at, 'a.txt', last)).rejects.toThrow(
      `a.txt has no version of event ${last}. Those it has: ${kept.lastEventId}, ${one}.`,
    )
    const { version } = await restore(run.hub, run.at, 'a.txt', kept.lastEventId)
    expect(version).toMatchObject({ eventId: kept.lastEventId, state: 'kept' })
  })

  it('says which versions there are when there is no such one', async () => {
    const run = await RunUnderTest.on(hub)
    const one = await run.device('ada', { path: 'a.txt', text: 'one' })
    await expect(restore(run.hub, run.at, 'a.txt', 999)).rejects.toThrow(
      `a.txt has no version of event 999. Those it has: ${one}.`,
    )
  })

  it('W25 says that the contents have expired when they have', async () => {
    const run = await RunUnderTest.on(hub)
    const one = await run.device('ada', { path: 'a.txt', text: 'one' })
    await run.device('ada', { path: 'a.txt', text: 'two', was: 'one' })
    // A test cannot wait thirty days: this hub answers like one that has swept.
    const error = {
      code: 'blob.missing',
      message: 'not here',
      remedy: 'fix-request',
      hashes: [hashOf('one')],
    }
    const swept: typeof fetch = async (input, init) =>
      init?.method === 'POST' ? Response.json({ error }, { status: 409 }) : fetch(input, init)
    await expect(restore({ ...run.hub, fetch: swept }, run.at, 'a.txt', one)).rejects.toMatchObject({
      kind: 'expired',
      message: expect.stringContaining(`a.txt@${one} cannot be put back`),
    })
  })

  it('S3 makes room for a file where others have put a folder, and for a folder where they put a file', async () => {
    const run = await RunUnderTest.on(hub)
    const file = await run.device('ada', { path: 'a', text: 'a file' })
    await run.device('ada', { path: 'a', text: null, was: 'a file' })
    const inside = await run.device('bob', { path: 'a/b', text: 'inside' })
    expect(await restore(run.hub, run.at, 'a', file)).toMatchObject({ madeRoom: ['a/b'] })
    expect([...(await versionsOf(run.hub, run.at)).tree.files()].map(({ path }) => path)).toEqual(['a'])
    expect(await restore(run.hub, run.at, 'a/b', inside)).toMatchObject({ madeRoom: ['a'] })
    expect([...(await versionsOf(run.hub, run.at)).tree.files()].map(({ path }) => path)).toEqual(['a/b'])
  })
})
