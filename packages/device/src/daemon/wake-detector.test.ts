import { whileOnline } from '@farhand/client/requests/online'
import { sleep } from '@farhand/kit/sleep'
import { expect, it, vi } from 'vitest'
import { Awake } from './wake-detector.ts'

it('a machine that slept hangs up, and whoever waits for the next try does so no longer', async () => {
  let wall = 1_000_000
  const awake = new Awake(() => ({ wall, steady: 0 }), 1)
  const line = whileOnline(awake, undefined)
  const waiting = sleep(Number.POSITIVE_INFINITY, { wake: (ring) => awake.onChange(ring) })
  expect(line.signal.aborted).toBe(false)
  wall += 86_400_000
  await waiting
  expect(line.signal.aborted).toBe(true)
  expect(awake.now()).toBe(true)
  awake.end()
})

it('a busy moment changes nothing', async () => {
  let looks = 0
  const awake = new Awake(() => ({ wall: 8_000 * looks++, steady: 0 }), 1)
  const line = whileOnline(awake, undefined)
  await vi.waitFor(() => expect(looks).toBeGreaterThan(3), 60_000)
  expect(line.signal.aborted).toBe(false)
  awake.end()
})
