import { whileOnline } from '@farhand/client/requests/online'
import { sleep } from '@farhand/kit/sleep'
import { expect, it, vi } from 'vitest'
import { WakeDetector } from './wake-detector.ts'

it('after sleep of the machine connections are closed, and a wait for the next try ends', async () => {
  let wall = 1_000_000
  const wakeDetector = new WakeDetector(() => ({ wall, steady: 0 }), 1)
  const line = whileOnline(wakeDetector, undefined)
  const waiting = sleep(Number.POSITIVE_INFINITY, { wake: (ring) => wakeDetector.onChange(ring) })
  expect(line.signal.aborted).toBe(false)
  wall += 86_400_000
  await waiting
  expect(line.signal.aborted).toBe(true)
  expect(wakeDetector.now()).toBe(true)
  wakeDetector.end()
})

it('a busy moment changes nothing', async () => {
  let looks = 0
  const wakeDetector = new WakeDetector(() => ({ wall: 8_000 * looks++, steady: 0 }), 1)
  const line = whileOnline(wakeDetector, undefined)
  await vi.waitFor(() => expect(looks).toBeGreaterThan(3), 60_000)
  expect(line.signal.aborted).toBe(false)
  wakeDetector.end()
})
