import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notification } from '@farhand/protocol/wire/event'
import { Dice } from '@farhand/testkit/dice'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJournal } from './file-journal.ts'

const said = (n: number, text = `word ${n} é`): Notification => ({
  jsonrpc: '2.0',
  method: 'agent_message_chunk',
  params: { text, n },
})
const numbers = (events: Iterable<Notification>) => Array.from(events, ({ params }) => params!.n)
const upTo = (to: number, from = 0) => Array.from({ length: to - from }, (_, nth) => from + nth)
const all = { events: 1e9, bytes: 1e9 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farhand-journal-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function left(generation: number, from = 0): unknown[] | null {
  const { leftovers } = openJournal(folder, generation)
  return leftovers && numbers(leftovers.from(from))
}

describe('a journal', () => {
  it('numbers what is said from 0 on and gives it back from any number', () => {
    const journal = openJournal(folder, 1).begin()
    expect(upTo(10).map((n) => journal.append(said(n)))).toEqual(upTo(10))
    expect(journal.next).toBe(10)
    expect(journal.read(0, all)).toEqual(upTo(10).map((n) => said(n)))
    expect(numbers(journal.read(7, all))).toEqual([7, 8, 9])
    expect(journal.read(10, all)).toEqual([])
    journal.close()
  })

  it('gives as much as was asked for, and one at least', () => {
    const journal = openJournal(folder, 1).begin()
    for (const n of upTo(10)) journal.append(said(n, 'x'.repeat(1000)))
    expect(numbers(journal.read(2, { events: 3, bytes: 1e9 }))).toEqual([2, 3, 4])
    expect(numbers(journal.read(2, { events: 9, bytes: 2500 }))).toEqual([2, 3])
    expect(numbers(journal.read(2, { events: 9, bytes: 1 }))).toEqual([2])
    journal.close()
  })

  it('gives the same whether it has it at hand or has to read it, across its files', () => {
    const dice = new Dice(3)
    const journal = openJournal(folder, 1).begin(upTo(5).map((n) => said(n)))
    const events = upTo(5).map((n) => said(n))
    for (let n = 5; n < 300; n++) {
      events.push(said(n, '🙂'.repeat(dice.between(0, 30_000))))
      journal.append(events[n]!)
    }
    expect(readdirSync(folder).length).toBeGreaterThan(3)
    for (let round = 0; round < 100; round++) {
      const from = dice.between(0, 299)
      const part = journal.read(from, { events: dice.between(1, 50), bytes: dice.between(1, 1e6) })
      expect(part.length).toBeGreaterThan(0)
      expect(part).toEqual(events.slice(from, from + part.length))
    }
    journal.close()
  })

  it('counts the bytes that wait, and lets go of files of which nothing does', () => {
    const journal = openJournal(folder, 1).begin([said(0)])
    for (const n of upTo(200, 1)) journal.append(said(n, 'x'.repeat(100_000)))
    const bytes = journal.bytes
    expect(bytes).toBe(readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0))
    journal.forget(100)
    expect(journal.bytes).toBeCloseTo(bytes / 2, -6)
    expect(readdirSync(folder).length).toBeLessThanOrEqual(4)
    expect(numbers(journal.read(100, all))[0]).toBe(100)
    journal.forget(200)
    expect(journal.bytes).toBe(0)
    expect(readdirSync(folder)).toHaveLength(1)
    expect(journal.append(said(200))).toBe(200)
    expect(numbers(journal.read(200, all))).toEqual([200])
    journal.close()
  })

  it('leaves what it has to the next generation', () => {
    const journal = openJournal(folder, 4).begin()
    for (const n of upTo(20)) journal.append(said(n))
    const { leftovers } = openJournal(folder, 5)
    expect(leftovers?.generation).toBe(4)
    expect(numbers(leftovers!.from(0))).toEqual(upTo(20))
    expect(numbers(leftovers!.from(17))).toEqual([17, 18, 19])
    expect(numbers(leftovers!.from(25))).toEqual([])
    journal.close()
  })

  it('leaves it under the numbers it had, also if the first are gone', () => {
    const journal = openJournal(folder, 4).begin()
    for (const n of upTo(100)) journal.append(said(n, 'x'.repeat(200_000)))
    journal.forget(70)
    expect(left(5, 70)).toEqual(upTo(100, 70))
    journal.close()
  })

  it('of which any number of bytes was written when its process died has every entry that was whole', () => {
    const journal = openJournal(folder, 1).begin()
    const ends = upTo(6).map((n) => {
      journal.append(said(n))
      return journal.bytes
    })
    journal.close()
    const file = join(folder, readdirSync(folder)[0]!)
    for (let length = ends.at(-1)!; length >= 0; length--) {
      truncateSync(file, length)
      expect(left(2), `${length} bytes`).toEqual(upTo(ends.filter((end) => end <= length).length))
    }
  })

  it('of a new generation takes over all of what was left, or nothing if it dies before', () => {
    const journal = openJournal(folder, 1).begin()
    for (const n of upTo(9)) journal.append(said(n))
    journal.close()
    const died = openJournal(folder, 2)
    function* half() {
      yield* [said(5), said(6)]
      throw new Error('killed')
    }
    expect(() => died.begin(half())).toThrow('killed')
    expect(left(3)).toEqual(upTo(9))

    const third = openJournal(folder, 3)
    const next = third.begin(third.leftovers!.from(5))
    expect(next.next).toBe(4)
    next.append(said(9))
    expect(numbers(next.read(0, all))).toEqual([5, 6, 7, 8, 9])
    expect(left(4)).toEqual([5, 6, 7, 8, 9])
    next.close()
  })

  it('of a generation whose files outlived the takeover is not taken over twice', () => {
    const first = openJournal(folder, 1).begin([said(0)])
    first.close()
    const copy = join(folder, 'copy')
    mkdirSync(copy)
    cpSync(join(folder, '1.0.ndjson'), join(copy, '1.0.ndjson'))
    const second = openJournal(folder, 2)
    second.begin(second.leftovers!.from(0)).close()
    cpSync(join(copy, '1.0.ndjson'), join(folder, '1.0.ndjson'))
    expect(left(3)).toEqual([0])
    expect(openJournal(folder, 3).leftovers?.generation).toBe(2)
  })

  it('ends where something is that was never said, as after a loss of power', () => {
    const journal = openJournal(folder, 1).begin(upTo(3).map((n) => said(n)))
    journal.close()
    appendFileSync(join(folder, '1.0.ndjson'), `\0\0\0\n${JSON.stringify(said(4))}\n`)
    expect(left(2)).toEqual([0, 1, 2])
    expect(left(2, 2)).toEqual([2])
  })

  it('has nothing twice that was in a file it could neither finish nor shorten, and went into the next', () => {
    const lines = (...said: Notification[]) => said.map((one) => `${JSON.stringify(one)}\n`).join('')
    writeFileSync(join(folder, '1.0.ndjson'), `${lines(said(0), said(1), said(2))}{"half of`)
    writeFileSync(join(folder, '1.2.ndjson'), `${lines(said(2), said(3))}`)
    expect(left(2)).toEqual([0, 1, 2, 3])
    expect(left(2, 2)).toEqual([2, 3])
  })

  // What is written to this there is no room for, and it cannot be made shorter either.
  it.runIf(existsSync('/dev/full'))('holds in memory what it cannot write, and writes it later', () => {
    const journal = openJournal(folder, 1).begin()
    symlinkSync('/dev/full', join(folder, '1.0.ndjson'))
    journal.append(said(0))
    for (const n of upTo(200, 1)) journal.append(said(n))
    expect(numbers(journal.read(0, all))).toEqual(upTo(200))
    expect(left(2)).toEqual(upTo(200))
    journal.close()
  })

  it('passes over files that are none of its own', () => {
    writeFileSync(join(folder, 'begun.new'), '{"half')
    writeFileSync(join(folder, 'README'), 'hello')
    expect(openJournal(folder, 1).leftovers).toBeNull()
    openJournal(folder, 1)
      .begin([said(0)])
      .close()
    expect(left(2)).toEqual([0])
  })

  it('is not begun by a generation that is over', () => {
    openJournal(folder, 3)
      .begin([said(0)])
      .close()
    expect(() => openJournal(folder, 3)).toThrow(/generation 3/)
    expect(() => openJournal(folder, 2)).toThrow(/generation 3/)
  })
})
