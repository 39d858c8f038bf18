import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import type { HubFolder, Outgoing, VersionToKeep } from './hub-folder.ts'
import { SyncStopped } from './sync-stopped.ts'

const at = (path: string) => WorkspacePath.parse(path)
const never = new AbortController().signal

/** A run at a hub, and how its contents are named there. */
export type HubUnderTest = {
  device(name: 'laptop' | 'desktop'): HubFolder
  /** Each call begins the next generation. */
  runner(): Promise<HubFolder>
  entry(text: string): FileEntry
  bytes(text: string): Uint8Array
  size(text: string): number
  /** A text that is too large to travel beside its event. */
  large: string
}

export function hubFolderContract(name: string, start: () => Promise<HubUnderTest>): void {
  describe(`a folder at a hub: ${name}`, () => {
    async function run() {
      const hub = await start()
      const change = (path: string, text: string, more: Partial<Outgoing> = {}): Outgoing => {
        const [entry, size] = [hub.entry(text), hub.size(text)]
        return { path: at(path), entry, was: null, size, content: async () => hub.bytes(text), ...more }
      }
      const bare = (path: string, text: string): Outgoing => {
        const { content: _, ...rest } = change(path, text)
        return rest
      }
      const keep = (path: string, text: string, more: Partial<VersionToKeep> = {}): VersionToKeep => {
        const { was: _, patch: __, ...rest } = change(path, text)
        return { ...rest, entry: hub.entry(text), content: hub.bytes(text), why: 'overruled', ...more }
      }
      const send = (folder: HubFolder, changes: Outgoing[], kept: VersionToKeep[] = []) =>
        folder.send({ changes, kept }, never)
      return { ...hub, change, bare, keep, send }
    }

    /** Everything after an event, up to where the log ends now. */
    async function read(folder: HubFolder, after = 0): Promise<SeenEvent[]> {
      const all: SeenEvent[] = []
      for await (const { events, live } of folder.follow(after, never)) {
        all.push(...events)
        if (live) break
      }
      return all
    }
    const filesIn = (events: SeenEvent[]) => {
      const tree = new WorkspaceTree()
      for (const event of events) tree.apply(event)
      return Object.fromEntries([...tree.files()].map(({ path, entry }) => [path, entry]))
    }

    it('is live at once, also where nothing was sent yet', async () => {
      const { runner } = await run()
      const events = await read(await runner())
      expect(await read(await runner(), events.at(-1)?.id)).toHaveLength(1)
    })

    it('W4 gives every event after one, in order, and those that come later', async () => {
      const { device, change, send } = await run()
      const [laptop, desktop] = [device('laptop'), device('desktop')]
      for (const n of [1, 2, 3]) await send(laptop, [change(`f${n}`, `text ${n}`)])
      const ids: number[] = []
      for await (const { events, live } of desktop.follow(1, never)) {
        ids.push(...events.map(({ id }) => id))
        if (live && ids.length === 2) await send(laptop, [change('later', 'later')])
        if (ids.length === 3) break
      }
      expect(ids).toEqual([2, 3, 4])
    })

    it('S5 W32 has what one folder sent for the others: who wrote it, the files and their contents', async () => {
      const { device, runner, change, keep, send, entry, bytes, size, large } = await run()
      const [laptop, agent] = [device('laptop'), await runner()]
      const program = { ...entry('run'), mode: '100755' as const }
      await send(laptop, [change('a', 'a'), change('gone', 'gone')])
      const sent = await send(
        laptop,
        [
          change('big', large),
          change('run', 'run', { entry: program }),
          change('gone', 'gone', { entry: null, was: entry('gone') }),
        ],
        [keep('a', 'kept')],
      )
      const events = await read(agent)
      expect(filesIn(events)).toEqual({ a: entry('a'), big: entry(large), run: program })
      expect(events.at(-1)).toMatchObject({ id: sent.lastId, by: laptop.author })
      const wanted = ['a', 'kept', 'never sent'].map((text) => ({ hash: entry(text).hash, size: size(text) }))
      const got = new Map<string, Buffer>()
      for await (const { hash, bytes } of agent.fetch(wanted, never)) got.set(hash, Buffer.from(bytes))
      expect(got).toEqual(new Map(['a', 'kept'].map((text) => [entry(text).hash, Buffer.from(bytes(text))])))
      const pieces: Uint8Array[] = []
      for await (const piece of agent.download(entry(large).hash, never)) pieces.push(piece)
      expect(Buffer.concat(pieces).equals(bytes(large))).toBe(true)
    })

    it('S4 S5 writes what is kept first, then small files in one event, then each large one in its own', async () => {
      const { device, change, keep, send, large } = await run()
      const laptop = device('laptop')
      const changes = [change('big', large), change('a', 'a'), change('b', 'b')]
      const kept = [keep('x', 'x'), keep('y', 'y')]
      const sent = await send(laptop, changes, kept)
      expect(sent).toMatchObject({ lastId: 4, dropped: [], needed: [] })
      expect([...kept, ...changes].map((one) => sent.ids.get(one))).toEqual([1, 2, 4, 3, 3])
      expect((await read(laptop)).map(({ id }) => id)).toEqual([1, 2, 3, 4])
    })

    it('S5 leaves out what is gone or something else by now, and sends the rest', async () => {
      const { device, change, keep, send, bytes, entry } = await run()
      const laptop = device('laptop')
      const there = change('there', 'there')
      const gone = async () => null
      const sent = await send(
        laptop,
        [
          there,
          change('gone', 'gone', { content: gone }),
          change('changed', 'changed', { content: async () => bytes('newer') }),
        ],
        [keep('kept', 'kept', { content: gone }), keep('other', 'other', { content: bytes('newer') })],
      )
      expect(sent).toMatchObject({ lastId: 1, needed: [] })
      expect([...sent.dropped].sort()).toEqual(['changed', 'gone', 'kept', 'other'])
      expect([...sent.ids.keys()]).toEqual([there])
      expect(filesIn(await read(laptop))).toEqual({ there: entry('there') })
    })

    it('S5 W24 says which contents the hub needs, and names those that it has without sending them again', async () => {
      const { device, change, bare, send, entry } = await run()
      const laptop = device('laptop')
      await send(laptop, [change('a', 'a')])
      const sent = await send(laptop, [bare('moved', 'a'), bare('never', 'never sent'), change('b', 'b')])
      expect(sent).toMatchObject({ lastId: 2, dropped: [], needed: ['never'] })
      expect(filesIn(await read(laptop))).toEqual({ a: entry('a'), moved: entry('a'), b: entry('b') })
      expect(await send(laptop, [bare('never', 'never sent')])).toMatchObject({
        lastId: 0,
        needed: ['never'],
      })
    })

    it('S7 knows its own events, of this life and an earlier one', async () => {
      const { device, runner, change, send } = await run()
      const [laptop, desktop, agent] = [device('laptop'), device('desktop'), await runner()]
      for (const folder of [laptop, desktop, agent])
        await send(folder, [change(`${folder.author.kind}`, 'x')])
      const written = (await read(laptop)).filter(({ by }) => by.kind !== 'hub')
      expect(written.map(({ by }) => by)).toEqual([laptop, desktop, agent].map(({ author }) => author))
      expect(written.map(({ by }) => laptop.isOurs(by))).toEqual([true, false, false])
      expect(written.map(({ by }) => agent.isOurs(by))).toEqual([false, false, true])
      expect(written.map(({ by }) => device('laptop').isOurs(by))).toEqual([true, false, false])
    })

    it('W8 refuses what a runner sends after another one has begun', async () => {
      const { runner, change, send } = await run()
      const first = await runner()
      await send(first, [change('a', 'a')])
      await runner()
      await expect(send(first, [change('b', 'b')])).rejects.toThrow()
    })

    it('W11 goes on in the log that it knows, and stops at another or one that ends before', async () => {
      const { device, change, send } = await run()
      const laptop = device('laptop')
      await send(laptop, [change('a', 'a')])
      await send(laptop, [change('b', 'b')])
      const [, second] = await read(laptop)
      const first = async (after: number, witness: { id: number; timestamp: string } | null) => {
        for await (const { live } of laptop.follow(after, never, witness)) if (live) return 'live'
        return 'ended'
      }
      const { id, timestamp } = second!
      expect(await first(2, { id, timestamp })).toBe('live')
      await expect(first(2, { id, timestamp: '2020-02-02T00:00:00.000Z' })).rejects.toThrow(SyncStopped)
      await expect(first(3, null)).rejects.toThrow(SyncStopped)
    })

    it('throws for a large blob that the hub does not have', async () => {
      const { device, entry } = await run()
      const download = async () => {
        for await (const _ of device('laptop').download(entry('never sent').hash, never));
      }
      await expect(download()).rejects.toThrow()
    })

    it('gives up reading and sending when it is told to', async () => {
      const { device, change } = await run()
      const stop = new AbortController()
      const laptop = device('laptop')
      const reading = (async () => {
        for await (const { live } of laptop.follow(0, stop.signal)) if (live) stop.abort(new Error('enough'))
      })()
      await reading.catch((error) => expect(error).toBe(stop.signal.reason))
      expect(stop.signal.aborted).toBe(true)
      const sent = laptop.send({ changes: [change('a', 'a')], kept: [] }, stop.signal)
      await expect(sent).rejects.toThrow('enough')
      expect(await read(laptop)).toEqual([])
    })
  })
}
