import { getEventListeners, once } from 'node:events'
import {
  endFrame,
  frame,
  hangUp,
  liveFrame,
  type Reply,
  someRun,
  stream,
} from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { follow } from './follow.ts'

const fast = { backoff: { firstMs: 2, maxMs: 8 }, silenceMs: 60_000 }

const socketsOf = (hub: Awaited<ReturnType<typeof hubThat>>) => [...hub.sockets]
const gone = (sockets: ReturnType<typeof socketsOf>) =>
  Promise.all(sockets.map((socket) => socket.destroyed || once(socket, 'close')))

describe('a reader that stops', () => {
  it('throws the reason of the signal while it waits for an event, and closes its socket', async () => {
    const hub = await hubThat(stream([frame(1), liveFrame(1)]))
    const controller = new AbortController()
    const events = follow({ url: hub.url }, someRun, { ...fast, signal: controller.signal })
    expect((await events.next()).value?.id).toBe(1)
    const next = events.next()
    controller.abort(new Error('seen enough'))
    await expect(next).rejects.toThrow('seen enough')
    await gone(socketsOf(hub))
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('throws the reason of the signal while it waits to try again', async () => {
    const hub = await hubThat(hangUp)
    const controller = new AbortController()
    const events = follow({ url: hub.url }, someRun, {
      signal: controller.signal,
      backoff: { firstMs: 60_000, maxMs: 60_000 },
      onState: (state) => state.is === 'retrying' && controller.abort(new Error('not that long')),
    })
    await expect(events.next()).rejects.toThrow('not that long')
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('throws the reason of the signal while the hub does not answer', async () => {
    const hub = await hubThat(() => {})
    const controller = new AbortController()
    const next = follow({ url: hub.url }, someRun, { ...fast, signal: controller.signal }).next()
    await hub.request(1)
    controller.abort(new Error('too slow'))
    await expect(next).rejects.toThrow('too slow')
    await gone(socketsOf(hub))
  })

  it('gives no further event once the signal is aborted, also of those that have arrived', async () => {
    const hub = await hubThat(stream([frame(1) + frame(2) + frame(3)]))
    const controller = new AbortController()
    const events = follow({ url: hub.url }, someRun, { ...fast, signal: controller.signal })
    expect((await events.next()).value?.id).toBe(1)
    controller.abort(new Error('one will do'))
    await expect(events.next()).rejects.toThrow('one will do')
    await gone(socketsOf(hub))
  })

  it('asks nothing of the hub when the signal was aborted before', async () => {
    const hub = await hubThat(stream([endFrame]))
    const events = follow({ url: hub.url }, someRun, {
      ...fast,
      signal: AbortSignal.abort(new Error('never mind')),
    })
    await expect(events.next()).rejects.toThrow('never mind')
    expect(hub.requests).toEqual([])
  })

  it('closes its socket when its caller leaves the loop', async () => {
    const hub = await hubThat(stream([frame(1), frame(2)]))
    for await (const _ of follow({ url: hub.url }, someRun, fast)) break
    await gone(socketsOf(hub))
  })

  it('closes its socket when its caller throws', async () => {
    const hub = await hubThat(stream([frame(1)]))
    const reading = async () => {
      for await (const _ of follow({ url: hub.url }, someRun, fast)) throw new Error('my own trouble')
    }
    await expect(reading()).rejects.toThrow('my own trouble')
    await gone(socketsOf(hub))
  })
})

describe('a reader that is slow', () => {
  it('W20 reads no further than a little ahead of its caller', async () => {
    const text = 'x'.repeat(64 * 1024)
    let written = 0
    const flood: Reply = async (response) => {
      for (let id = 1; id <= 1000; id++) {
        const accepted = response.write(frame(id, { text }))
        written = id
        if (!accepted) await once(response, 'drain')
      }
      response.end(endFrame)
    }
    const hub = await hubThat(stream([], flood))
    const events = follow({ url: hub.url }, someRun, fast)
    await events.next()
    // The sockets in between hold some megabytes; what they cannot hold stays with the hub.
    let before = -1
    while (before !== written) {
      before = written
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(written).toBeLessThan(500)
    let last = 1
    for await (const event of events) last = event.id
    expect(last).toBe(1000)
    expect(hub.requests).toHaveLength(1)
  })
})
