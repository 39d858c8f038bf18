import { someRun } from '@farhand/testkit/scripted-hub'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { follow } from './follow.ts'
import { post } from './post.ts'

// Real sockets need real time; here only the time matters in which nothing at all is heard.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const onlyWhenAborted = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

/** A hub behind a line that was cut without a word: whatever is sent, nothing ever comes back. */
function cutOff(answer: (signal: AbortSignal | null | undefined) => Promise<Response>) {
  const keys: (string | null)[] = []
  const hub = {
    url: 'http://hub.test',
    fetch: (_: unknown, init?: RequestInit) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      return answer(init?.signal)
    },
  }
  return { hub, keys }
}

describe('a line that was cut without a word', () => {
  it('is given up within a minute by who follows a run, and another one is tried', async () => {
    const silent = async (signal: AbortSignal | null | undefined) => {
      const body = new ReadableStream({ pull: () => onlyWhenAborted(signal) })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }
    const { hub, keys } = cutOff(silent)
    const stop = new AbortController()
    const reading = follow(hub, someRun, { signal: stop.signal }).next()
    reading.catch(() => {})
    await vi.advanceTimersByTimeAsync(30_000)
    expect(keys).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(keys.length).toBeGreaterThan(1)
    stop.abort()
    await expect(reading).rejects.toBe(stop.signal.reason)
  })

  it('is given up within a minute by who posts a message, and the message is sent again under the same key', async () => {
    const { hub, keys } = cutOff(onlyWhenAborted)
    const posting = post(hub, someRun, { jsonrpc: '2.0', method: '_posthog/user_message', params: {} })
    posting.catch(() => {})
    await vi.advanceTimersByTimeAsync(60_000)
    expect(keys.length).toBeGreaterThan(1)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/./)
    await vi.advanceTimersByTimeAsync(120_000)
    await expect(posting).rejects.toThrow(String(keys[0]))
  })
})
