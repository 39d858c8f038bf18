import { mkdtempSync, openAsBlob, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Producer } from '@farhand/client/post/producer'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { nameOf } from '@farhand/testkit/fake-blob-store'
import { hangUp, liveFrame, type Reply, refuse, someRun, stream } from '@farhand/testkit/scripted-hub'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Connection, Content, Outgoing, VersionToKeep } from '../engine/hub-folder.ts'
import { openHubFolder, type Role } from './open-hub-folder.ts'
import { type PackHub, packHub } from './pack-hub-under-test.ts'
import { at, file } from './run-under-test.ts'

const never = new AbortController().signal
const backoff = { firstMs: 2, maxMs: 8 }
const deviceId = newId(DeviceId, 'dev')
const bytes = (text: string) => new TextEncoder().encode(text)

const wish = (
  path: string,
  text: string | null,
  more: { was?: string; content?: Content | null } = {},
): Outgoing => {
  const content = more.content === undefined && text !== null ? bytes(text) : more.content
  return {
    path: at(path),
    entry: text === null ? null : file(text),
    was: more.was === undefined ? null : file(more.was),
    size: text?.length ?? 0,
    ...(content && { content }),
  }
}
const keeping = (path: string, text: string): VersionToKeep => ({
  path: at(path),
  entry: file(text),
  size: text.length,
  content: bytes(text),
  why: 'overruled',
})

function folderAt(
  { hub }: PackHub,
  as: Role['is'] = 'device',
  onConnection: (state: Connection) => void = () => {},
  onFull: (paths: readonly string[]) => void = () => {},
) {
  const where = { url: hub.url, token: 't' }
  // It would try for ever, and the port of this hub is soon that of another test.
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const producer = new Producer(where, someRun, { id: 'runner', epoch: 3, backoff, signal: over.signal })
  const role: Role =
    as === 'device' ? { is: as, deviceId } : { is: as, producer, generation: 3, earlier: [1] }
  return openHubFolder({ hub: where, at: someRun, role, onConnection, onFull, backoff })
}

/** The first so many answers to what is written are lost on their way; the hub has stored it all the same. */
function losing(times: number) {
  return (request: { path: string; body: Buffer }, answer: Reply): Reply =>
    request.path.endsWith('/sync') && times-- > 0 ? hangUp : answer
}

describe('a folder that sends', () => {
  it('S5 sends contents and the one event that names them in one request', async () => {
    const made = await packHub()
    const sent = await folderAt(made).send(
      { changes: [wish('a', 'A'), wish('b', 'B', { was: 'old' }), wish('c', null, { was: 'C' })], kept: [] },
      never,
    )
    expect(sent).toMatchObject({ lastId: 1, dropped: [], needed: [] })
    expect(made.posts).toMatchObject([{ events: 1, contents: 2, headers: { 'device-id': deviceId } }])
    expect(made.hub.requests).toHaveLength(1)
    expect(made.stored).toEqual([
      {
        jsonrpc: '2.0',
        method: '_posthog/file_sync',
        params: {
          files: [
            { path: 'a', action: 'created', size: 1, ...file('A'), was: null },
            { path: 'b', action: 'modified', size: 1, ...file('B'), was: file('old') },
            { path: 'c', action: 'deleted', was: file('C') },
          ],
        },
      },
    ])
  })

  it('says of a single file without a list, and sends nothing of nothing', async () => {
    const made = await packHub()
    const folder = folderAt(made)
    expect(await folder.send({ changes: [], kept: [] }, never)).toMatchObject({
      lastId: 0,
      dropped: [],
      needed: [],
    })
    await folder.send({ changes: [wish('a', 'A')], kept: [] }, never)
    expect(made.stored.map(({ params }) => params?.path)).toEqual(['a'])
  })

  it('S4 says of every version that it is kept, before what takes its place', async () => {
    const made = await packHub()
    const kept = [keeping('x', 'mine'), keeping('y', 'mine too')]
    await folderAt(made).send({ changes: [wish('a', 'A')], kept }, never)
    expect(made.stored.map(({ method }) => method.replace('_posthog/', ''))).toEqual([
      'file_kept',
      'file_kept',
      'file_sync',
    ])
    expect(made.stored[0]?.params).toEqual({ path: 'x', ...file('mine'), why: 'overruled' })
    expect(made.shelf.blobs.size).toBe(3)
    expect(made.posts.map(({ events }) => events)).toEqual([2, 1])
  })

  it('speaks as a runner through its producer', async () => {
    const made = await packHub()
    const folder = folderAt(made, 'runner')
    const changes = [wish('a', 'A'), wish('b', 'B')]
    const sent = await folder.send({ changes, kept: [keeping('x', 'mine')] }, never)
    expect(sent.lastId).toBe(2)
    expect(made.stored.map(({ method }) => method)).toEqual(['_posthog/file_kept', '_posthog/file_change'])
    expect(made.posts[1]?.headers).toMatchObject({
      'producer-id': 'runner',
      'producer-epoch': '3',
      'producer-seq': '1',
    })
    expect(folder.author).toEqual({ kind: 'runner', generation: 3 })
    const ours = [1, 2, 3].map((generation) => folder.isOurs({ kind: 'runner', generation }))
    expect(ours).toEqual([true, false, true])
  })

  it.each(['device', 'runner'] as const)(
    'as a %s writes each thing once, however many answers are lost',
    async (as) => {
      const made = await packHub(losing(3))
      const kept = [keeping('x', '1'), keeping('y', '2')]
      const sent = await folderAt(made, as).send({ changes: [wish('a', 'A'), wish('b', 'B')], kept }, never)
      expect(made.stored).toHaveLength(3)
      expect(sent.lastId).toBe(3)
      expect(made.posts.length).toBe(5)
    },
  )

  it('S5 leaves out what cannot be opened any more, and says so', async () => {
    const made = await packHub()
    const changes = [
      wish('a', 'A', { content: async () => null }),
      wish('b', 'B', { content: async () => bytes('B') }),
    ]
    const sent = await folderAt(made).send({ changes, kept: [] }, never)
    expect(sent).toMatchObject({ lastId: 1, dropped: ['a'], needed: [] })
    expect(made.stored.map(({ params }) => params?.path)).toEqual(['b'])
  })

  it('S5 leaves out contents that are not what they were said to be, and sends the others', async () => {
    const made = await packHub()
    const changes = [wish('a', 'A', { content: bytes('other') }), wish('b', 'B')]
    const sent = await folderAt(made).send(
      { changes, kept: [{ ...keeping('x', 'X'), content: bytes('Y') }] },
      never,
    )
    expect(sent).toMatchObject({ lastId: 1, dropped: ['x', 'a'], needed: [] })
    expect(made.stored.map(({ params }) => params?.path)).toEqual(['b'])
  })

  it.each(['device', 'runner'] as const)(
    'S5 as a %s asks for what the hub was believed to have, and sends the rest',
    async (as) => {
      const made = await packHub()
      const folder = folderAt(made, as)
      await folder.send({ changes: [wish('there', 'T')], kept: [] }, never)
      const many = Array.from({ length: 30 }, (_, n) => wish(`m${n}`, `missing ${n}`, { content: null }))
      const changes = [
        wish('again', 'T', { content: null }),
        ...many,
        wish('twin', 'N', { content: null }),
        wish('new', 'N'),
      ]
      const sent = await folder.send({ changes, kept: [] }, never)
      expect(sent.needed).toEqual(many.map(({ path }) => path))
      expect(sent.dropped).toEqual([])
      const files = made.stored[1]?.params?.files as { path: string }[]
      expect(files.map(({ path }) => path)).toEqual(['again', 'twin', 'new'])
      expect(made.posts).toHaveLength(3)
      const nothing = await folder.send(
        { changes: [wish('m', 'missing', { content: null })], kept: [] },
        never,
      )
      expect(nothing).toMatchObject({ lastId: 0, dropped: [], needed: ['m'] })
    },
  )

  it('uploads large contents by themselves, after the small ones were sent', async () => {
    const made = await packHub()
    const large = 'x'.repeat(1024 * 1024 + 1)
    const blob = new Blob([large])
    const changes = [
      wish('large', large, { content: async () => blob }),
      wish('gone', `${large}!`, { content: async () => null }),
      wish('small', 's'),
    ]
    const sent = await folderAt(made).send({ changes, kept: [] }, never)
    expect(sent).toMatchObject({ lastId: 2, dropped: ['gone'], needed: [] })
    expect(made.stored.map(({ params }) => params?.path)).toEqual(['small', 'large'])
    expect(made.shelf.puts).toEqual([file(large).hash])
    expect(made.posts.map(({ contents }) => contents)).toEqual([1, 0])
  })

  it('tells how many bytes of a large file have left', async () => {
    const made = await packHub()
    const part = 'x'.repeat(1024 * 1024)
    const large = part.repeat(3)
    const left: number[] = []
    const onBytes = (bytes: number) => left.push(bytes)
    const changes = [
      { ...wish('large', large, { content: async () => new Blob([part, part, part]) }), onBytes },
    ]
    expect(await folderAt(made).send({ changes, kept: [] }, never)).toMatchObject({ lastId: 1, dropped: [] })
    expect(left.length).toBeGreaterThan(2)
    expect(left).toEqual(left.toSorted((a, b) => a - b))
    expect(left.at(-1)).toBe(large.length)
    expect(made.shelf.puts).toEqual([file(large).hash])
  })

  it('S5 leaves out a large file whose times moved after it was opened, and does not call that the connection', async () => {
    const made = await packHub()
    const states: string[] = []
    const folder = mkdtempSync(join(tmpdir(), 'farhand-send-'))
    const name = join(folder, 'large')
    const large = 'x'.repeat(1024 * 1024 + 1)
    writeFileSync(name, large)
    const content = async () => {
      const blob = await openAsBlob(name)
      utimesSync(name, new Date(0), new Date(0))
      return blob
    }
    const changes = [wish('large', large, { content }), wish('small', 's')]
    const { send } = folderAt(made, 'device', ({ is }) => states.push(is))
    expect(await send({ changes, kept: [] }, never)).toMatchObject({ dropped: ['large'], needed: [] })
    expect(states).not.toContain('offline')
    rmSync(folder, { recursive: true })
  })

  it('W10 sends as many files as there are, in requests that the hub takes', async () => {
    const made = await packHub()
    const changes = Array.from({ length: 1200 }, (_, n) => wish(`f${n}`, `${n}`.padEnd(10_000, 'x')))
    await folderAt(made).send({ changes, kept: [] }, never)
    expect(made.posts.map(({ contents }) => contents)).toEqual([731, 469])
    expect(Math.max(...made.hub.requests.map(({ body }) => body.length))).toBeLessThan(8 * 1024 * 1024)
  })

  it.each([
    ['run.closed', 404],
    ['token.invalid', 401],
  ])('throws a %s, also after an answer was lost', async (code, status) => {
    let asked = 0
    const made = await packHub(() => (asked++ === 0 ? hangUp : refuse(status, code, 'give-up')))
    await expect(folderAt(made).send({ changes: [wish('a', 'A')], kept: [] }, never)).rejects.toMatchObject({
      code,
    })
  })

  it('stops waiting with the reason of its signal', async () => {
    const made = await packHub(() => () => {})
    for (const as of ['device', 'runner'] as const) {
      const controller = new AbortController()
      const seen = made.hub.requests.length
      const sending = folderAt(made, as).send({ changes: [wish('a', 'A')], kept: [] }, controller.signal)
      await made.hub.request(seen + 1)
      controller.abort(new Error('going home'))
      await expect(sending).rejects.toThrow('going home')
    }
  })
})

describe('a folder that fetches', () => {
  async function shelfOf(count: number, size = 10) {
    const made = await packHub()
    const all = Array.from({ length: count }, (_, n) => Buffer.from(`${n}`.padEnd(size, '.')))
    for (const one of all) made.shelf.blobs.set(nameOf(one), one)
    return { made, wanted: all.map((one) => ({ hash: nameOf(one), size: one.length })) }
  }
  const collect = async (made: PackHub, wanted: Parameters<ReturnType<typeof folderAt>['fetch']>[0]) => {
    const got = new Map<string, number>()
    for await (const { hash, bytes } of folderAt(made).fetch(wanted, never)) got.set(hash, bytes.length)
    return got
  }

  it('W32 brings many in one request, and leaves out what the hub does not have', async () => {
    const { made, wanted } = await shelfOf(300)
    const got = await collect(made, [...wanted, { hash: file('not at the hub').hash, size: 5 }])
    expect([...got.keys()].sort()).toEqual(wanted.map(({ hash }) => hash).sort())
    expect(made.hub.requests).toHaveLength(1)
    expect((await collect(made, [])).size).toBe(0)
    expect(made.hub.requests).toHaveLength(1)
  })

  it('asks for 512 and about 4 MB at a time', async () => {
    const { made, wanted } = await shelfOf(600)
    expect((await collect(made, wanted)).size).toBe(600)
    expect(made.fetches.map((hashes) => hashes.length)).toEqual([512, 88])
    const large = await shelfOf(10, 1_000_000)
    expect((await collect(large.made, large.wanted)).size).toBe(10)
    expect(large.made.fetches.map((hashes) => hashes.length).sort()).toEqual([2, 4, 4])
  })

  it('W24 yields a blob of any size as it arrives, and fails for one that is not there', async () => {
    const { made, wanted } = await shelfOf(1, 2_000_000)
    const folder = folderAt(made)
    let length = 0
    for await (const piece of folder.download(wanted[0]!.hash, never)) length += piece.length
    expect(length).toBe(2_000_000)
    const missing = async () => {
      for await (const _ of folder.download(file('no').hash, never));
    }
    await expect(missing()).rejects.toMatchObject({ code: 'blob.unknown' })
  })
})

describe('what a folder says of its connection', () => {
  it.each(['device', 'runner'] as const)('is what its reader finds, or a %s that fares worse', async (as) => {
    let trouble: Reply | null = null
    const live = stream([liveFrame(0)])
    const made = await packHub(({ method, headers }, answer) => {
      if (headers.accept === 'text/event-stream') return live
      const now = method === 'POST' ? trouble : null
      trouble = null
      return now ?? answer
    })
    const states: Connection[] = []
    const folder = folderAt(made, as, (state) => states.push(state))
    const controller = new AbortController()
    const portions = folder.follow(0, controller.signal)[Symbol.asyncIterator]()
    expect(await portions.next()).toMatchObject({ value: { events: [], live: true } })
    const next = portions.next()
    await new Promise(setImmediate)
    trouble = refuse(503, 'log.unavailable', 'retry')
    await folder.send({ changes: [wish('a', 'A')], kept: [] }, never)
    expect(states).toMatchObject([
      { is: 'connecting' },
      { is: 'live' },
      { is: 'offline', why: expect.stringContaining('log.unavailable'), retryAt: expect.any(Number) },
      { is: 'live' },
    ])
    controller.abort(new Error('done'))
    await expect(next).rejects.toThrow('done')
  })

  it.each(['device', 'runner'] as const)(
    'is not offline when the hub only has no room for a %s: what waits for it is named, once',
    async (as) => {
      let refusals = 3
      const made = await packHub(({ headers, path }, answer) =>
        headers.accept === 'text/event-stream'
          ? stream([liveFrame(0)])
          : path.endsWith('/sync') && refusals-- > 0
            ? refuse(503, 'storage.full', 'retry')
            : answer,
      )
      const said: unknown[] = []
      const folder = folderAt(
        made,
        as,
        ({ is }) => said.push(is),
        (paths) => said.push(paths),
      )
      await folder.send({ changes: [wish('big', 'B')], kept: [] }, never)
      expect(said).toEqual([['big']])
    },
  )

  it('is well again after trouble with versions to keep, however often', async () => {
    const made = await packHub((request, answer) =>
      request.headers.accept === 'text/event-stream' ? stream([liveFrame(0)]) : lose(request, answer),
    )
    let lose = losing(0)
    const states: Connection[] = []
    const folder = folderAt(made, 'device', (state) => states.push(state))
    const controller = new AbortController()
    const portions = folder.follow(0, controller.signal)[Symbol.asyncIterator]()
    await portions.next()
    const next = portions.next()
    for (const name of ['a', 'b', 'c']) {
      lose = losing(1)
      await folder.send({ changes: [], kept: [keeping(name, '1'), keeping(name, '2')] }, never)
      expect(states.at(-1)).toEqual({ is: 'live' })
    }
    expect(states.filter(({ is }) => is === 'offline')).toHaveLength(3)
    expect(made.stored).toHaveLength(6)
    controller.abort(new Error('done'))
    await expect(next).rejects.toThrow('done')
  })
})
