import { expect, it } from 'vitest'
import type { ConnectionBudget } from './connection-budget.ts'
import { streamsOverSockets } from './stream-socket.ts'

/** A budget that says how it is, and tells of no change. */
function budgetOf(state: { isCrowded: boolean }): ConnectionBudget & { changed(): void } {
  const listeners = new Set<() => void>()
  return {
    allows: () => true,
    prefersSockets: () => state.isCrowded,
    reportSocketFailure: () => {},
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    changed() {
      for (const listener of listeners) listener()
    },
  }
}

const stream = { headers: { accept: 'text/event-stream' } }

/** A stream of a hub, which never ends by itself, and whether its reader has given it up. */
function endless() {
  const seen = { isGivenUp: false }
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      seen.isGivenUp = true
    },
  })
  return { body, seen }
}

it('a stream that is answered after many pages came is given up for a WebSocket at once', async () => {
  const state = { isCrowded: false }
  const { body, seen } = endless()
  let answer = (_: Response) => {}
  const waiting = new Promise<Response>((resolve) => {
    answer = resolve
  })
  const open = streamsOverSockets(
    () => waiting,
    budgetOf(state),
    () => null,
  )('http://hub/events', stream)
  // It is told while the request waits for one of six connections, which others hold.
  state.isCrowded = true
  answer(new Response(body))
  expect(await (await open).text()).toBe('event: reconnect\ndata: {}\n\n')
  expect(seen.isGivenUp).toBe(true)
})

it('a stream that is open when many pages come is given up for a WebSocket, too', async () => {
  const state = { isCrowded: false }
  const budget = budgetOf(state)
  const { body, seen } = endless()
  const answer = await streamsOverSockets(
    async () => new Response(body),
    budget,
    () => null,
  )('http://hub/events', stream)
  budget.changed()
  expect(seen.isGivenUp).toBe(false)
  state.isCrowded = true
  budget.changed()
  expect(await answer.text()).toBe('event: reconnect\ndata: {}\n\n')
  expect(seen.isGivenUp).toBe(true)
})
