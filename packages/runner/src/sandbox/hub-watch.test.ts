import { expect, it, onTestFinished, vi } from 'vitest'
import { watchHub } from './hub-watch.ts'

it('a runner whose hub stays away is told so, and not as long as the hub answers', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let isThere = true
  const way = Object.assign(
    async () => {
      if (isThere) return new Response('')
      throw new TypeError('no hub is there')
    },
    { takesPieces: true as const },
  )
  const { fetch, gone } = watchHub(way, 100_000)
  expect(fetch.takesPieces).toBe(true)
  for (let round = 0; round < 5; round++) {
    vi.advanceTimersByTime(60_000)
    await fetch('http://hub/')
  }
  expect(gone.aborted).toBe(false)
  isThere = false
  vi.advanceTimersByTime(60_000)
  await expect(fetch('http://hub/')).rejects.toThrow('no hub')
  expect(gone.aborted).toBe(false)
  vi.advanceTimersByTime(60_000)
  expect(gone.aborted).toBe(true)
})
