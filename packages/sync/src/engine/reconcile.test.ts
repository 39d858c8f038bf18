import type { FileEntry } from '@farhand/protocol/methods/files'
import { describe, expect, it } from 'vitest'
import { hashOf } from '../simulation/contents.ts'
import { type Place, reconcile, type Step, type Wins } from './reconcile.ts'

type State = string | null

const entry = (word: State): FileEntry | null =>
  word === null
    ? null
    : { mode: word.endsWith('*') ? '100755' : '100644', hash: hashOf(word.replace('*', '')) }

/** What is done about a path with this on disk, in the log, and agreed; `since` is what the log held in between. */
function step(
  wins: Wins,
  [disk, log, agreed]: [State, State, State],
  {
    since = [log],
    counts = true,
    yields = false,
  }: { since?: State[]; counts?: boolean; yields?: boolean } = {},
): Step {
  const place: Place = {
    disk: entry(disk),
    log: entry(log),
    agreed: entry(agreed),
    since: log === agreed ? [] : since.map(entry),
    yields,
  }
  return reconcile(place, wins, () => counts)
}

const nothing = { do: 'nothing' }
const agree = { do: 'agree' }
const send = { do: 'send' }
const take = { do: 'receive', keep: false }
const keepAndTake = { do: 'receive', keep: true }

describe('one path, on either side', () => {
  for (const wins of ['disk', 'log'] as const) {
    it(`S2 nothing is done if neither side changed anything (${wins})`, () => {
      expect(step(wins, ['x', 'x', 'x'])).toEqual(nothing)
      expect(step(wins, [null, null, null])).toEqual(nothing)
    })

    it(`S2 both came to the same: agreed, and nothing is sent (${wins})`, () => {
      expect(step(wins, ['y', 'y', 'x'])).toEqual(agree)
      expect(step(wins, [null, null, 'x'])).toEqual(agree)
      expect(step(wins, ['y', 'y', null])).toEqual(agree)
    })

    it(`S2 a change on the disk goes to the log, also of the mode alone (${wins})`, () => {
      expect(step(wins, ['y', 'x', 'x'])).toEqual(send)
      expect(step(wins, [null, 'x', 'x'])).toEqual(send)
      expect(step(wins, ['y', null, null])).toEqual(send)
      expect(step(wins, ['x*', 'x', 'x'])).toEqual(send)
    })

    it(`S2 a change in the log comes to the disk, and what it replaces is known (${wins})`, () => {
      expect(step(wins, ['x', 'y', 'x'])).toEqual(take)
      expect(step(wins, ['x', null, 'x'])).toEqual(take)
      expect(step(wins, [null, 'y', null])).toEqual(take)
    })

    it(`S2 a disk that holds what the log has held since is behind, and sends nothing (${wins})`, () => {
      expect(step(wins, ['y', 'z', 'x'], { since: ['y', 'z'] })).toEqual(take)
      expect(step(wins, [null, 'z', 'x'], { since: [null, 'z'] })).toEqual(take)
      expect(step(wins, ['y', 'z', null], { since: ['w', 'y', 'z'] })).toEqual(take)
    })

    it(`S3 a change that the log would not count is kept and gives way, a deletion just gives way (${wins})`, () => {
      expect(step(wins, ['y', 'z', 'x'], { counts: false })).toEqual(keepAndTake)
      expect(step(wins, ['y', 'x', 'x'], { counts: false })).toEqual(keepAndTake)
      expect(step(wins, [null, 'z', 'x'], { counts: false })).toEqual(take)
    })

    it(`S11 if the user said that the run counts, the disk gives way, until both are the same (${wins})`, () => {
      expect(step(wins, ['y', 'x', 'x'], { yields: true })).toEqual(keepAndTake)
      expect(step(wins, ['y', 'z', 'x'], { yields: true })).toEqual(keepAndTake)
      expect(step(wins, [null, 'x', 'x'], { yields: true })).toEqual(take)
      expect(step(wins, ['x', 'x', 'x'], { yields: true })).toEqual(agree)
    })
  }
})

describe('both changed, differently', () => {
  it('S2 on a device the disk wins', () => {
    expect(step('disk', ['y', 'z', 'x'])).toEqual(send)
    expect(step('disk', [null, 'z', 'x'])).toEqual(send)
    expect(step('disk', ['y', null, 'x'])).toEqual(send)
    expect(step('disk', ['y', 'z', null])).toEqual(send)
  })

  it('S2 in a sandbox the log wins, and what was there is kept', () => {
    expect(step('log', ['y', 'z', 'x'])).toEqual(keepAndTake)
    expect(step('log', ['y', null, 'x'])).toEqual(keepAndTake)
    expect(step('log', ['y', 'z', null])).toEqual(keepAndTake)
    expect(step('log', [null, 'z', 'x'])).toEqual(take)
  })
})
