import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newId, RunId } from '@farhand/protocol/wire/ids'
import { temporaryFolder } from '@farhand/testkit/temporary-folder'
import { expect, it } from 'vitest'
import { LastShown } from './last-shown.ts'

it('is remembered for each run, up to a limit of runs', async () => {
  const state = await temporaryFolder()
  const [one, two] = [newId(RunId, 'run'), newId(RunId, 'run')]
  expect(new LastShown(state, one).eventId).toBeNull()
  let now = 0
  const last = new LastShown(state, one, () => now)
  const noted = (eventId: number) => {
    last.shown(eventId)
    return new LastShown(state, one).eventId
  }
  expect([noted(7), noted(8)]).toEqual([7, 7])
  now += 1_000
  expect([noted(9), noted(10)]).toEqual([9, 9])
  last.save()
  expect(new LastShown(state, one).eventId).toBe(10)
  expect(new LastShown(state, two).eventId).toBeNull()
  for (let nth = 0; nth < 400; nth += 1) writeFileSync(path.join(state, 'looked', `run_${nth}`), '1')
  new LastShown(state, two).shown(1)
  expect(readdirSync(path.join(state, 'looked'))).toHaveLength(300)
  expect(new LastShown(state, two).eventId).toBe(1)
})

it('does not fail when it cannot be written', () => {
  const last = new LastShown('/dev/null', newId(RunId, 'run'))
  last.shown(3)
  expect(last.eventId).toBeNull()
})
