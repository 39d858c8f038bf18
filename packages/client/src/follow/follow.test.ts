import {
  endFrame,
  frame,
  hangUp,
  json,
  liveFrame,
  type Reply,
  refuse,
  roomIn,
  someRun,
  stream,
} from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { type FollowOptions, type FollowState, follow } from './follow.ts'

const fast = { backoff: { firstMs: 2, maxMs: 8 }, silenceMs: 60_000 }
/** No connection of a test lives longer than its longest pause. */
const growing = { firstMs: 2, maxMs: 60_000 }
const end: Reply = (response) => {
  response.end()
}

/** All events after the reader's cursor, up to the end. */
const restOf =
  (last: number): Reply =>
  (response, request) => {
    const ids = Array.from({ length: last }, (_, nth) => nth + 1)
    const frames = ids.filter((id) => id > Number(request.headers['last-event-id'])).map((id) => frame(id))
    return stream([...frames, endFrame])(response, request)
  }

/** Reads a run to its end; what it has done so far can be waited for, so that a script can go on from there. */
function reader() {
  const seen: number[] = []
  const states: FollowState[] = []
  let bell = () => {}
  const until = async (done: () => boolean) => {
    while (!done()) await new Promise<void>((resolve) => (bell = resolve))
  }
  return {
    seen,
    states,
    until,
    cutAfter:
      (id: number): Reply =>
      async (response) => {
        await until(() => seen.includes(id))
        response.destroy()
      },
    cutWhenLive: (async (response) => {
      await until(() => states.at(-1)?.is === 'live')
      response.destroy()
    }) satisfies Reply,
    async read(url: string, options: FollowOptions = {}): Promise<number[]> {
      const onState = (state: FollowState) => {
        states.push(state)
        bell()
      }
      for await (const { id } of follow({ url, token: 't' }, someRun, { ...fast, onState, ...options })) {
        seen.push(id)
        bell()
      }
      return seen
    },
  }
}

const ids = (url: string, options?: FollowOptions) => reader().read(url, options)

/** How many failures in a row each pause came after. */
const failures = (states: FollowState[]) =>
  states.flatMap((state) => (state.is === 'retrying' ? [state.failures] : []))

describe('follow', () => {
  it('W16 requests the events after the last one that was handled', async () => {
    const { read, cutAfter } = reader()
    const hub = await hubThat(stream([frame(8)], cutAfter(8)), stream([frame(9), endFrame]))
    expect(await read(hub.url, { after: 7 })).toEqual([8, 9])
    expect(hub.requests.map(({ headers }) => headers['last-event-id'])).toEqual(['7', '8'])
    expect(hub.requests[0]).toMatchObject({
      path: `/api/projects/${someRun.project}/tasks/${someRun.task}/runs/${someRun.run}/sync`,
      headers: { accept: 'text/event-stream', authorization: 'Bearer t', 'session-id': someRun.run },
    })
  })

  it('W19 takes neither a clean nor a broken end of the connection for the end of the run', async () => {
    const { read, cutAfter } = reader()
    const hub = await hubThat(
      stream([frame(1)], end),
      stream([frame(2)], cutAfter(2)),
      hangUp,
      stream([frame(3), endFrame]),
    )
    expect(await read(hub.url)).toEqual([1, 2, 3])
  })

  it('ends with "end", even if the hub leaves the connection open', async () => {
    const hub = await hubThat(stream([frame(1), endFrame]))
    expect(await ids(hub.url)).toEqual([1])
    expect(hub.requests).toHaveLength(1)
  })

  it.each([500, 502, 503, 408, 429])('comes back after a %i', async (status) => {
    const hub = await hubThat(refuse(status, 'hub.failed', 'retry'), stream([frame(1), endFrame]))
    expect(await ids(hub.url)).toEqual([1])
  })

  it.each([
    [401, 'token.invalid'],
    [403, 'runner.fenced'],
    [404, 'run.unknown'],
    [409, 'cursor.ahead'],
    [400, 'session.mismatch'],
  ])('throws a %i with the code of the hub and asks no more', async (status, code) => {
    const hub = await hubThat(refuse(status, code, 'give-up'))
    await expect(ids(hub.url)).rejects.toMatchObject({ code, status })
    expect(hub.requests).toHaveLength(1)
  })

  it('notices a connection that is open but dead', async () => {
    const hub = await hubThat(stream([frame(1)]), restOf(2))
    expect(await ids(hub.url, { silenceMs: 100 })).toEqual([1, 2])
  })

  it('notices a hub that accepts the connection and never answers', async () => {
    const hub = await hubThat(() => {}, restOf(1))
    expect(await ids(hub.url, { silenceMs: 100 })).toEqual([1])
  })

  it('waits longer each time for a hub that accepts every reader and dies', async () => {
    const { read, states } = reader()
    const greeting = stream([': welcome\n\n', liveFrame(0)], end)
    const hub = await hubThat(greeting, greeting, greeting, greeting, stream([endFrame]))
    await read(hub.url, { backoff: growing })
    expect(failures(states)).toEqual([1, 2, 3, 4])
  })

  it('counts an event as success: the next pause is a short one again', async () => {
    const { read, states, cutAfter } = reader()
    const hub = await hubThat(hangUp, hangUp, stream([frame(1)], cutAfter(1)), hangUp, stream([endFrame]))
    await read(hub.url)
    expect(failures(states)).toEqual([1, 2, 1, 2])
  })

  it('counts a connection that lived longer than the longest pause as success', async () => {
    const { read, states, until } = reader()
    const lasting: Reply = async (response) => {
      // Its life is counted from when the reader knows of it, which may be long after it was greeted.
      await until(() => states.at(-1)?.is === 'live')
      await new Promise((resolve) => setTimeout(resolve, 50))
      response.end()
    }
    const hub = await hubThat(hangUp, hangUp, stream([liveFrame(0)], lasting), hangUp, stream([endFrame]))
    await read(hub.url)
    expect(failures(states)).toEqual([1, 2, 1, 2])
  })

  it('waits as long as the hub asks it to', async () => {
    const busy = json(503, { error: { code: 'x', message: 'x', remedy: 'retry' } }, { 'retry-after': '100' })
    const hub = await hubThat(busy)
    const controller = new AbortController()
    let waitMs = 0
    const onState = (state: FollowState) => {
      if (state.is !== 'retrying') return
      waitMs = state.at - Date.now()
      controller.abort(new Error('seen enough'))
    }
    await expect(ids(hub.url, { onState, signal: controller.signal })).rejects.toThrow('seen enough')
    expect(waitMs).toBeGreaterThan(90_000)
  })

  it('does not fill the memory with an event that has no end', async () => {
    let written = 0
    const endless: Reply = async (response) => {
      response.write('id: 1\ndata: ')
      while (!response.destroyed && written < 64) {
        written++
        if (!response.write('x'.repeat(1024 * 1024))) await roomIn(response)
      }
    }
    const hub = await hubThat(stream([], endless), stream([frame(1), endFrame]))
    expect(await ids(hub.url)).toEqual([1])
    expect(written).toBeLessThan(64)
  })

  it('lets the pauses grow when a stream breaks at the same place every time', async () => {
    const { read, states } = reader()
    const torn = stream(['id: 1\ndata: {"jsonrpc":\n\n'])
    const hub = await hubThat(torn, torn, torn, stream([frame(1), endFrame]))
    await read(hub.url, { backoff: growing })
    expect(failures(states)).toEqual([1, 2, 3])
  })

  it('drops an event that it has handled, and does not skip one that is missing', async () => {
    const hub = await hubThat(
      stream([frame(1), frame(1), frame(2), frame(4)]),
      stream([frame(2), frame(3), frame(4), endFrame]),
    )
    expect(await ids(hub.url)).toEqual([1, 2, 3, 4])
    expect(hub.requests[1]?.headers['last-event-id']).toBe('2')
  })

  it('W17 lets ids be missing in the stream for a runner, and skips events that are not for it', async () => {
    const { read, cutWhenLive } = reader()
    const hub = await hubThat(
      stream([frame(2), frame(9), liveFrame(30)], cutWhenLive),
      stream([frame(31), endFrame]),
    )
    expect(await read(hub.url, { to: 'agent' })).toEqual([2, 9, 31])
    expect(hub.requests[0]?.query.get('to')).toBe('agent')
    expect(hub.requests[1]?.headers['last-event-id']).toBe('30')
  })

  it('reads an unreadable event again instead of passing over it', async () => {
    const hub = await hubThat(
      stream([frame(1), 'id: 2\ndata: {"jsonrpc":\n\n']),
      stream([frame(2), endFrame]),
    )
    expect(await ids(hub.url)).toEqual([1, 2])
  })

  it('W17 gives stored events with their envelope', async () => {
    const stored = {
      id: 1,
      type: 'notification',
      timestamp: '2026-11-15T10:00:00.000Z',
      notification: { jsonrpc: '2.0', method: '_test/event' },
      by: { kind: 'hub' },
    }
    const hub = await hubThat(stream([`id: 1\ndata: ${JSON.stringify(stored)}\n\n`, endFrame]))
    const seen = []
    for await (const event of follow({ url: hub.url }, someRun, { ...fast, envelope: 'stored' }))
      seen.push(event)
    expect(seen).toEqual([stored])
    expect(hub.requests[0]?.query.get('envelope')).toBe('stored')
  })

  it('W27 reads on past an author of a kind that only a newer hub knows', async () => {
    const stored = (id: number, by: object) => ({
      id,
      type: 'notification',
      timestamp: '2026-01-01T00:00:00.000Z',
      notification: { jsonrpc: '2.0', method: '_mine' },
      by,
    })
    const frames = [stored(1, { kind: 'robot', id: 'r' }), stored(2, { kind: 'hub' })].map(
      (event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`,
    )
    const hub = await hubThat(stream([...frames, endFrame]), stream([endFrame]))
    const seen: unknown[] = []
    for await (const { id, by } of follow({ url: hub.url }, someRun, { ...fast, envelope: 'stored' }))
      seen.push([id, by])
    expect(seen).toEqual([
      [1, { kind: 'other', said: 'robot', id: 'r' }],
      [2, { kind: 'hub' }],
    ])
  })

  it('W27 passes over kinds of messages that it does not know', async () => {
    const hub = await hubThat(stream(['event: weather\ndata: rain\n\n', 'retry: 5\n', frame(1), endFrame]))
    expect(await ids(hub.url)).toEqual([1])
  })

  it('joins events that arrive in pieces, cut inside letters too', async () => {
    const bytes = Buffer.from(frame(1, { text: 'grüße 🙂' }) + endFrame)
    const piecewise: Reply = async (response) => {
      for (const byte of bytes) {
        response.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
    }
    const hub = await hubThat(stream([], piecewise))
    const seen = []
    for await (const event of follow({ url: hub.url }, someRun, fast)) seen.push(event.notification.params)
    expect(seen).toEqual([{ text: 'grüße 🙂' }])
  })

  it('starts with new events, and misses none of them when the first connection breaks', async () => {
    const { read, cutWhenLive } = reader()
    const hub = await hubThat(stream([liveFrame(41)], cutWhenLive), stream([frame(42), endFrame]))
    expect(await read(hub.url, { start: 'latest' })).toEqual([42])
    expect(hub.requests[0]?.query.get('start')).toBe('latest')
    expect(hub.requests[1]?.query.get('start')).toBeNull()
    expect(hub.requests[1]?.headers['last-event-id']).toBe('41')
  })

  it('reports the true state of its connection', async () => {
    const { read, cutWhenLive, states } = reader()
    const hub = await hubThat(stream([frame(1), liveFrame(1)], cutWhenLive), stream([endFrame]))
    await read(hub.url)
    expect(states.map((state) => state.is)).toEqual([
      'connecting',
      'catching-up',
      'live',
      'retrying',
      'connecting',
      'catching-up',
    ])
  })

  it('does not count a move that the hub asked for as a failure', async () => {
    const moved = stream(['event: reconnect\ndata: {}\n\n'], end)
    const { read, states } = reader()
    const hub = await hubThat(moved, moved, moved, moved, hangUp, stream([endFrame]))
    await read(hub.url)
    expect(failures(states)).toEqual([0, 0, 0, 0, 1])
  })
})
