import type { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOf, hubForTests, RunUnderTest } from '../hub/run-under-test.ts'
import { history, versionsOf } from './history.ts'
import { planUndo, undo } from './undo.ts'

let hub: HubProcess
let close: () => Promise<void>
beforeAll(async () => ({ hub, close } = await hubForTests()))
afterAll(() => close())

async function undoNow(run: RunUnderTest, to?: number) {
  const planned = await planUndo(run.hub, run.at, { to })
  return planned && undo(run.hub, run.at, planned)
}

async function tree(run: RunUnderTest): Promise<Record<string, string>> {
  const { tree } = await versionsOf(run.hub, run.at)
  return Object.fromEntries([...tree.files()].map(({ path, entry }) => [path, entry.hash.slice(7, 11)]))
}

describe('undo', () => {
  it('takes back the newest step of one author, leaves others alone, and goes further back each time', async () => {
    const run = await RunUnderTest.on(hub)
    const first = await run.device('ada', { path: 'a', text: 'a1' }, { path: 'b', text: 'b1' })
    const before = await tree(run)
    await run.runner({ path: 'a', text: 'a2', was: 'a1' }, { path: 'c', text: 'c1' })
    const undone = await undoNow(run)
    expect(undone?.back.map(({ path }) => path)).toEqual(['a', 'c'])
    expect(undone?.leftAlone).toEqual([])
    expect(await tree(run)).toEqual(before)
    const more = await undoNow(run)
    expect(more?.undoes).toEqual({ from: first, to: first })
    expect(await tree(run)).toEqual({})
    expect(await undoNow(run)).toBeNull()
    expect((await history(run.hub, run.at, 'a')).length).toBe(4)
  })

  it('never takes back what a run began with, whether or not its agent has begun, but what was changed before that', async () => {
    const run = await RunUnderTest.on(hub)
    await run.device('ada', { path: 'a', text: 'a1' }, { path: 'b', text: 'b1' })
    await run.says('fix it')
    expect(await planUndo(run.hub, run.at)).toBeNull()
    const changed = await run.device('ada', { path: 'b', text: 'b2', was: 'b1' })
    await run.say('_posthog/ack', { for: '_posthog/user_message', id: 2 })
    expect(await undoNow(run)).toMatchObject({ undoes: { from: changed }, back: [{ path: 'b' }] })
    expect(await planUndo(run.hub, run.at)).toBeNull()
    const added = await run.device('ada', { path: 'c', text: 'c1' })
    expect((await planUndo(run.hub, run.at))?.plan.undoes).toEqual({ from: added, to: added })
  })

  it('W25 tells before anything is done which contents have expired', async () => {
    const run = await RunUnderTest.on(hub)
    const there = await run.device('ada', { path: 'a', text: 'a1' }, { path: 'b', text: 'b1' })
    await run.device('ada', { path: 'a', text: 'a2', was: 'a1' }, { path: 'b', text: 'b2', was: 'b1' })
    // A test cannot wait thirty days: this hub answers like one that has swept.
    const swept: typeof fetch = async (input, init) =>
      init?.method === 'POST'
        ? Response.json({ urls: {}, missing: { [hashOf('b1')]: '/nowhere' } })
        : fetch(input, init)
    const planned = await planUndo({ ...run.hub, fetch: swept }, run.at, { to: there })
    expect(planned?.plan.back.map(({ path }) => path)).toEqual(['a'])
    expect(planned?.plan.leftAlone).toEqual([{ path: 'b', why: 'expired' }])
  })

  it('leaves a file alone that another author has changed since', async () => {
    const run = await RunUnderTest.on(hub)
    await run.runner({ path: 'a', text: 'a1' }, { path: 'b', text: 'b1' })
    const planned = await planUndo(run.hub, run.at)
    await run.device('ada', { path: 'a', text: 'mine', was: 'a1' })
    const done = await undo(run.hub, run.at, planned!)
    expect(done.back.map(({ path }) => path)).toEqual(['b'])
    expect(done.leftAlone).toEqual([{ path: 'a', why: 'changed-since' }])
    expect(Object.keys(await tree(run))).toEqual(['a'])
  })

  it('only plans until it is told to', async () => {
    const run = await RunUnderTest.on(hub)
    await run.device('ada', { path: 'a', text: 'a1' })
    const planned = await planUndo(run.hub, run.at)
    expect(planned?.plan).toMatchObject({ back: [{ path: 'a', before: null }], files: 1, eventIds: [] })
    expect(Object.keys(await tree(run))).toEqual(['a'])
  })

  it('puts everything back to how it was after an event, and from there forward again', async () => {
    const run = await RunUnderTest.on(hub)
    const first = await run.device('ada', { path: 'a', text: 'a1' })
    const early = await tree(run)
    const last = await run.runner({ path: 'a', text: 'a2', was: 'a1' }, { path: 'd/e', text: 'e' })
    const late = await tree(run)
    await undoNow(run, first)
    expect(await tree(run)).toEqual(early)
    await undoNow(run, last)
    expect(await tree(run)).toEqual(late)
    expect((await undoNow(run))?.step?.by).toMatchObject({ kind: 'runner' })
    expect(await tree(run)).toEqual(early)
  })

  it('S3 brings back the folder that a file has pushed aside', async () => {
    const run = await RunUnderTest.on(hub)
    await run.device('ada', { path: 'a/b', text: 'b' }, { path: 'a/c', text: 'c' })
    const before = await tree(run)
    const gone = { text: null }
    await run.device(
      'bob',
      { path: 'a/b', was: 'b', ...gone },
      { path: 'a/c', was: 'c', ...gone },
      { path: 'a', text: 'a file' },
    )
    await undoNow(run)
    expect(await tree(run)).toEqual(before)
  })

  it('takes 2,500 files back in a few events', async () => {
    const run = await RunUnderTest.on(hub)
    // By its event: what comes in several requests is one step only on a fast machine.
    const first = await run.device('bob', { path: 'kept', text: 'same' })
    const before = await tree(run)
    const files = Array.from({ length: 2500 }, (_, n) => ({ path: `many/${n}`, text: 'same' }))
    for (let from = 0; from < files.length; from += 1000)
      await run.device('ada', ...files.slice(from, from + 1000))
    const done = await undoNow(run, first)
    expect(done?.back.length).toBe(2500)
    expect(done?.eventIds.length).toBeLessThan(6)
    expect(await tree(run)).toEqual(before)
  })

  it('S4 brings back before it deletes, and says exactly how far it came', async () => {
    const run = await RunUnderTest.on(hub)
    const many = Array.from({ length: 900 }, (_, n) => ({ path: `here/${n}`, text: 'same' }))
    const full = await run.device('ada', ...many)
    await run.device('bob', ...many.map((file) => ({ ...file, text: null, was: 'same' })))
    await run.device('bob', ...many.map(({ text }, n) => ({ path: `there/${n}`, text })))
    const planned = await planUndo(run.hub, run.at, { to: full })
    let posts = 0
    const fails: typeof fetch = (address, init) => {
      if (init?.method === 'POST' && String(address).endsWith('/sync') && ++posts === 2)
        return Promise.resolve(
          Response.json(
            { error: { code: 'run.closed', message: 'no', remedy: 'fix-request' } },
            { status: 409 },
          ),
        )
      return fetch(address, init)
    }
    const undoing = undo({ ...run.hub, fetch: fails }, run.at, planned!)
    await expect(undoing).rejects.toMatchObject({ name: 'HalfUndone', put: 1000, of: 1800, eventIds: [4] })
    const paths = Object.keys(await tree(run))
    expect(paths.filter((path) => path.startsWith('here/'))).toHaveLength(900)
    // What its report advises: take the half back, and begin anew.
    await undoNow(run, 3)
    expect((await undoNow(run, full))?.back).toHaveLength(1800)
    expect(Object.keys(await tree(run)).every((path) => path.startsWith('here/'))).toBe(true)
  })
})
