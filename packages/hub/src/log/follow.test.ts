import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId, RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EventLog, LogChunk } from './event-log.ts'
import { openFileEventLog } from './file-event-log.ts'
import { LogReaders, type Outlet, type Reader } from './follow.ts'
import { decodeLine } from './stored-line.ts'

/** An outlet that takes a given number of chunks and is then full until it is told to go on. */
class Sink implements Outlet {
  readonly ids: number[] = []
  readonly told: string[] = []
  reader: Reader | null = null
  room: number
  #wanted: { done: () => boolean; resolve: () => void }[] = []

  constructor(room = Number.POSITIVE_INFINITY) {
    this.room = room
  }

  write({ bytes }: LogChunk): boolean {
    for (const line of bytes.toString().split('\n')) if (line) this.ids.push(decodeLine(line)!.id)
    this.room--
    this.#check()
    return this.room > 0
  }

  live(lastId: number): void {
    this.#tell(`live ${lastId}`)
  }
  end(lastId: number): void {
    this.#tell(`end ${lastId}`)
  }
  fenced(): void {
    this.#tell('fenced')
    this.reader?.stop()
  }
  fail(error: unknown): void {
    this.#tell(`failed ${error}`)
  }

  goOn(room = Number.POSITIVE_INFINITY): void {
    this.room = room
    this.reader?.resume()
  }

  when(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#wanted.push({ done, resolve })
      this.#check()
    })
  }

  #tell(what: string): void {
    this.told.push(what)
    this.#check()
  }

  #check(): void {
    for (const { done, resolve } of this.#wanted) if (done()) resolve()
  }
}

const run = newId(RunId, 'run')
const say = (log: EventLog, method: string, params = {}, by: 'web' | 'hub' = 'web') =>
  log.append(run, () => ({
    by: by === 'hub' ? { kind: 'hub' } : { kind: 'web', id: 'usr_1' },
    notifications: [{ jsonrpc: '2.0', method, params }],
  }))
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

async function start(tailBytes?: number) {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-follow-'))
  const log = await openFileEventLog({ dir, ...(tailBytes !== undefined && { tailBytes }) })
  onTestFinished(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  const readers = new LogReaders(log)
  const follow = (after: number, sink: Sink, generation: number | null = null) => {
    sink.reader = readers.follow(run, after, sink, generation)
    return sink
  }
  return { log, readers, follow }
}

describe('following a log', () => {
  it.each([
    ['from memory', undefined],
    ['from the disk', 0],
  ])(
    'W18 readers that join while it grows, and stop and go, each get all of it once, in order, %s',
    async (_, tail) => {
      const { log, follow } = await start(tail)
      const sinks: Sink[] = []
      const total = 400
      for (let n = 1; n <= total; n++) {
        const appended = say(log, '_n', { n, text: 'x'.repeat((n * 37) % 900) })
        if (n % 20 === 0) sinks.push(follow(0, new Sink(n % 40 === 0 ? 1 : Number.POSITIVE_INFINITY)))
        if (n % 7 === 0) for (const sink of sinks) if (sink.room <= 0) sink.goOn(n % 3)
        if (n % 5 === 0) await appended
      }
      for (const sink of sinks) sink.goOn()
      for (const sink of sinks) {
        await sink.when(() => sink.ids.length >= total)
        expect(sink.ids).toEqual(upTo(total))
      }
    },
  )

  it('W18 W20 readers far behind get all of a long log once, in order, however often they stop', async () => {
    const { log, follow } = await start(0)
    const total = 6000
    const text = 'x'.repeat(700)
    for (let n = 0; n < total; n += 1000) {
      const notifications = Array.from({ length: 1000 }, (_, k) => ({
        jsonrpc: '2.0' as const,
        method: '_n',
        params: { n: n + k, text },
      }))
      await log.append(run, () => ({ by: { kind: 'web', id: 'usr_1' }, notifications }))
    }
    const sinks = [1, 2, 7, 40, Number.POSITIVE_INFINITY].map((room) => follow(0, new Sink(room)))
    for (const sink of sinks) {
      while (sink.ids.length < total) {
        const seen = sink.ids.length
        await sink.when(() => sink.room <= 0 || sink.ids.length >= total)
        if (sink.room <= 0) sink.goOn(1 + (seen % 5))
      }
      expect(sink.ids).toEqual(upTo(total))
    }
  })

  it('W19 a reader is told once that it is live, and that a closed run has ended, also when it comes late', async () => {
    const { log, follow } = await start()
    await say(log, '_one')
    const early = follow(0, new Sink())
    await early.when(() => early.told.length === 1)
    await say(log, '_posthog/close')
    await say(log, '_posthog/session_close', { reason: 'test' }, 'hub')
    await early.when(() => early.told.includes('end 3'))
    expect(early.told).toEqual(['live 1', 'end 3'])
    const late = follow(1, new Sink())
    await late.when(() => late.told.includes('end 3'))
    expect(late.ids).toEqual([2, 3])
  })

  it('W20 a reader that takes nothing is sent no more, and holds up no other reader', async () => {
    const { log, follow } = await start()
    const [stalled, quick] = [follow(0, new Sink(1)), follow(0, new Sink())]
    await stalled.when(() => stalled.told.length === 1)
    await say(log, '_one')
    for (let n = 0; n < 50; n++) await say(log, '_more')
    await quick.when(() => quick.ids.length === 51)
    expect(quick.ids).toEqual(upTo(51))
    expect(stalled.ids).toEqual([1])
    stalled.goOn()
    await stalled.when(() => stalled.ids.length === 51)
    expect(stalled.ids).toEqual(upTo(51))
  })

  it('W8 the reader of an older generation is sent away, that of the newest stays', async () => {
    const { log, follow, readers } = await start()
    await say(log, '_posthog/session_start', { sandboxId: null, generation: 1 }, 'hub')
    const old = follow(0, new Sink(), 1)
    await old.when(() => old.told.length === 1)
    expect(readers.hasRunner(run, 1)).toBe(true)
    await say(log, '_posthog/session_start', { sandboxId: null, generation: 2 }, 'hub')
    await old.when(() => old.told.includes('fenced'))
    expect(readers.hasRunner(run, 1)).toBe(false)
    const next = follow(0, new Sink(), 2)
    await next.when(() => next.told.length === 1)
    expect(next.told).toEqual(['live 2'])
  })

  it('an outlet that breaks is told so, and no other reader breaks with it', async () => {
    const { log, readers, follow } = await start()
    const failures: unknown[] = []
    const broken: Outlet = {
      write() {
        throw new Error('broken')
      },
      live() {},
      end() {},
      fenced() {},
      fail: (error) => void failures.push(error),
    }
    await say(log, '_one')
    readers.follow(run, 0, broken)
    const fine = follow(0, new Sink())
    await fine.when(() => fine.told.length === 1)
    await say(log, '_two')
    await fine.when(() => fine.ids.length === 2)
    expect(failures).toContainEqual(new Error('broken'))
  })
})
