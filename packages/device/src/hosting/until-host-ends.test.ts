import { newId, RunId } from '@farhand/protocol/wire/ids'
import { expect, it } from 'vitest'
import { untilHostEnds } from './until-host-ends.ts'

const at = { run: newId(RunId, 'run') }

it('a command that has closed a run waits until its runner here is gone', async () => {
  const holders = [7, 7, null]
  await untilHostEnds({ holder: () => holders.shift() ?? null }, at, new AbortController().signal)
  expect(holders).toEqual([])
})

it('Ctrl-C ends the wait for a runner that does not end', async () => {
  const stop = new AbortController()
  let looks = 0
  const holder = () => {
    looks += 1
    if (looks === 2) stop.abort()
    return 7
  }
  await untilHostEnds({ holder }, at, stop.signal)
  expect(looks).toBe(2)
})
