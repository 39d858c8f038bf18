import { sameEntry } from '@farhand/protocol/files/path-history'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashOf } from '../simulation/contents.ts'
import { type Entry, type Place, reconcile, type Wins } from './reconcile.ts'

const entries: Entry[] = [
  null,
  ...['x', 'y', 'z'].map((word): Entry => ({ mode: '100644', hash: hashOf(word) })),
  { mode: '100755', hash: hashOf('x') },
]
const anyEntry = fc.constantFrom(...entries)
const anyPlace = fc
  .record({ disk: anyEntry, agreed: anyEntry, held: fc.array(anyEntry, { maxLength: 4 }) })
  .map(({ disk, agreed, held }): Place => ({ disk, agreed, since: held, log: held.at(-1) ?? agreed }))
const anyWins = fc.constantFrom<Wins>('disk', 'log')

const check = (claim: (place: Place, wins: Wins, counts: boolean) => void) =>
  fc.assert(fc.property(anyPlace, anyWins, fc.boolean(), claim), { numRuns: 2000 })

it('S2 after each decision is carried out, disk and log are the same', () => {
  check((place, wins, counts) => {
    const step = reconcile(place, wins, () => counts)
    const log = step.do === 'send' ? place.disk : place.log
    const disk = step.do === 'receive' ? place.log : place.disk
    expect(sameEntry(disk, log)).toBe(true)
    const after = { disk, log, agreed: step.do === 'nothing' ? place.agreed : log, since: [] }
    expect(reconcile(after, wins, () => counts)).toEqual({ do: 'nothing' })
  })
})

it('S2 a version that the disk got from the log is not sent, nor one that the log would not count', () => {
  check((place, wins, counts) => {
    if (reconcile(place, wins, () => counts).do !== 'send') return
    expect(counts).toBe(true)
    for (const known of [place.log, place.agreed, ...place.since])
      expect(sameEntry(place.disk, known)).toBe(false)
  })
})

it('S4 a file that was never in the log is kept before it is overwritten', () => {
  check((place, wins, counts) => {
    const step = reconcile(place, wins, () => counts)
    if (step.do !== 'receive') return
    const isKnown = [place.agreed, ...place.since].some((known) => sameEntry(known, place.disk))
    expect(step.keep).toBe(place.disk !== null && !isKnown)
  })
})

it('S2 on a device, a change on the disk is given up only if the log would not count it', () => {
  check((place, _, counts) => {
    const isChanged = ![place.log, place.agreed, ...place.since].some((known) => sameEntry(known, place.disk))
    if (isChanged) expect(reconcile(place, 'disk', () => counts).do).toBe(counts ? 'send' : 'receive')
  })
})
