import {
  endFrame,
  frame,
  hangUp,
  liveFrame,
  scriptedHub,
  someRun,
  stream,
} from '@farhand/testkit/scripted-hub'
import { afterEach, describe, expect, it } from 'vitest'
import { type FollowState, follow } from '../follow/follow.ts'
import { type Online, onlineFor } from './online.ts'

let close: () => Promise<void> = async () => {}
afterEach(() => close())

function network(
  connected: boolean,
): Online & { turn(connected: boolean): void; listeners: Set<() => void> } {
  const listeners = new Set<() => void>()
  return {
    listeners,
    now: () => connected,
    onChange(ring) {
      listeners.add(ring)
      return () => listeners.delete(ring)
    },
    turn(to) {
      connected = to
      for (const ring of [...listeners]) ring()
    },
  }
}

describe('a reader without a network', () => {
  it('waits without asking, and asks as soon as there is one', async () => {
    const hub = await scriptedHub(stream([frame(1), endFrame]))
    close = hub.close
    const online = network(false)
    const states: FollowState['is'][] = []
    const events = follow({ url: hub.url }, someRun, { online, onState: (state) => states.push(state.is) })
    const first = events.next()
    expect(states).toEqual(['offline'])
    expect(hub.requests).toEqual([])
    online.turn(true)
    expect((await first).value?.id).toBe(1)
    expect((await events.next()).done).toBe(true)
    expect(online.listeners.size).toBe(0)
  })

  it('closes its connection when the network goes, and continues where it was', async () => {
    const hub = await scriptedHub(stream([frame(1), liveFrame(1)]), stream([frame(2), endFrame]))
    close = hub.close
    const online = network(true)
    const states: FollowState['is'][] = []
    const onState = (state: FollowState) => {
      states.push(state.is)
      if (state.is === 'live') queueMicrotask(() => online.turn(false))
      if (state.is === 'offline') queueMicrotask(() => online.turn(true))
    }
    const seen = []
    for await (const { id } of follow({ url: hub.url }, someRun, { online, onState })) seen.push(id)
    expect(seen).toEqual([1, 2])
    expect(states).toEqual(['connecting', 'catching-up', 'live', 'offline', 'connecting', 'catching-up'])
    expect(hub.requests[1]?.headers['last-event-id']).toBe('1')
  })

  it('ends a long pause when the network changes', async () => {
    const hub = await scriptedHub(hangUp, stream([endFrame]))
    close = hub.close
    const online = network(true)
    const onState = (state: FollowState) => state.is === 'retrying' && queueMicrotask(() => online.turn(true))
    const backoff = { firstMs: 600_000, maxMs: 600_000 }
    expect((await follow({ url: hub.url }, someRun, { online, onState, backoff }).next()).done).toBe(true)
  })
})

describe('onlineFor', () => {
  function page() {
    const target = new EventTarget()
    return {
      navigator: { onLine: false },
      addEventListener: target.addEventListener.bind(target),
      removeEventListener: target.removeEventListener.bind(target),
      dispatch: (event: string) => target.dispatchEvent(new Event(event)),
    }
  }

  it('counts a program without news of the network as online', () => {
    expect(onlineFor('https://hub.example').now()).toBe(true)
    expect(onlineFor('https://hub.example', { navigator: {} }).now()).toBe(true)
  })

  it('is told by a browser when the network goes and comes, until it unsubscribes', () => {
    const browser = page()
    const online = onlineFor('https://hub.example', browser)
    let rings = 0
    const stop = online.onChange(() => rings++)
    expect(online.now()).toBe(false)
    browser.navigator.onLine = true
    browser.dispatch('online')
    expect(online.now()).toBe(true)
    browser.dispatch('offline')
    stop()
    browser.dispatch('online')
    expect(rings).toBe(2)
  })

  it.each(['http://localhost:7717', 'http://127.0.0.1:7717', 'http://[::1]:7717'])(
    'reaches %s without any network',
    (url) => {
      expect(onlineFor(url, page()).now()).toBe(true)
    },
  )
})
