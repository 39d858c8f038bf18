import { endFrame, frame, liveFrame, someRun } from '@farhand/testkit/scripted-hub'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { post } from '../post/post.ts'
import { follow } from './follow.ts'

// Real sockets need real time; here only the time matters in which nothing at all is heard.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const onlyWhenAborted = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

/** A hub behind a line that was cut without a word: requests get no answer. */
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

/** A hub that says what the test says, when it says it. */
function speaking() {
  let body!: ReadableStreamDefaultController<Uint8Array>
  const { hub, keys } = cutOff(async () => {
    const spoken = new ReadableStream<Uint8Array>({
      start(controller) {
        body = controller
      },
    })
    return new Response(spoken, { headers: { 'content-type': 'text/event-stream' } })
  })
  return {
    hub,
    asked: () => keys.length,
    say: (text: string) => body.enqueue(new TextEncoder().encode(text)),
  }
}

describe('a connection that is alive', () => {
  it('W19 is kept even if only keep-alive comments arrive', async () => {
    const { hub, asked, say } = speaking()
    const events = follow(hub, someRun)
    const first = events.next()
    await vi.advanceTimersByTimeAsync(0)
    say(liveFrame(0))
    for (let minutes = 0; minutes < 10; minutes += 0.5) {
      await vi.advanceTimersByTimeAsync(30_000)
      say(': still here\n\n')
    }
    say(frame(1) + endFrame)
    expect((await first).value?.id).toBe(1)
    expect((await events.next()).done).toBe(true)
    expect(asked()).toBe(1)
  })

  it('is not taken for dead because its caller is slow', async () => {
    const { hub, asked, say } = speaking()
    const events = follow(hub, someRun)
    const first = events.next()
    await vi.advanceTimersByTimeAsync(0)
    say(frame(1))
    expect((await first).value?.id).toBe(1)
    await vi.advanceTimersByTimeAsync(600_000)
    say(endFrame)
    expect((await events.next()).done).toBe(true)
    expect(asked()).toBe(1)
  })
})

describe('a connection that was cut silently', () => {
  it('is given up within a minute by a reader of a run, and another one is tried', async () => {
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

  it('is given up within a minute by a writer of a message, and the message is sent again under the same key', async () => {
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
