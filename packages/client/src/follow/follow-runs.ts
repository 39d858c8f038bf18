import type { Backoff } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import { ListedRun } from '@farhand/protocol/schemas/api'
import { paths } from '@farhand/protocol/wire/routes'
import { ask, type Hub } from '../requests/hub.ts'
import { type Online, onlineFor, whileOnline } from '../requests/online.ts'
import { isPassing, Unreachable } from '../requests/refusal.ts'
import { defaultBackoff, pauseMs } from '../requests/retry.ts'
import { sseMessages } from '../requests/sse-messages.ts'
import type { FollowState } from './follow.ts'

export type FollowRunsOptions = {
  signal?: AbortSignal
  onState?: (state: FollowState) => void
  silenceMs?: number
  backoff?: Backoff
  online?: Online
}

/** `anew`: changes may have been missed; list the runs again. */
export type RunsChange = { is: 'anew' } | { is: 'run'; run: ListedRun }

/**
 * The changes in the list of a user's runs, across lost connections; it never ends by itself. A caller that lists the
 * runs after each `anew`, and replaces a listed run with each run that follows, misses nothing. Throws a Refusal that
 * waiting would not change, or the reason of the signal.
 */
export async function* followRuns(
  hub: Hub,
  options: FollowRunsOptions = {},
): AsyncGenerator<RunsChange, never, undefined> {
  const { signal, onState = () => {}, silenceMs = 40_000, backoff = defaultBackoff } = options
  const online = options.online ?? onlineFor(hub.url)
  for (let failures = 0; ; ) {
    while (!online.now()) {
      onState({ is: 'offline' })
      await sleep(Number.POSITIVE_INFINITY, { signal, wake: online.onChange })
    }
    signal?.throwIfAborted()
    onState({ is: 'connecting' })
    const connection = whileOnline(online, signal)
    let openedAt = Number.POSITIVE_INFINITY
    let trouble: Error = new Unreachable('the connection ended')
    try {
      const headers = { accept: 'text/event-stream' }
      const messages = sseMessages({
        send: (signal) => ask(hub, { path: paths.runChanges(), headers }, signal),
        onOpen: () => (openedAt = performance.now()),
        signal: connection.signal,
        silenceMs,
      })
      for await (const arrived of messages) {
        for (const { event, data } of arrived) {
          if (event === 'live') onState({ is: 'live' })
          const change = changeOf(event, data)
          if (change) yield change
          signal?.throwIfAborted()
        }
      }
    } catch (error) {
      // Here the client can connect again; errors that a new connection does not help are the caller's.
      signal?.throwIfAborted()
      if (!isPassing(error)) throw error
      trouble = error as Error
    } finally {
      connection.stop()
    }
    if (!online.now()) continue
    failures = performance.now() - openedAt > backoff.maxMs ? 1 : failures + 1
    const waitMs = pauseMs(trouble, failures, backoff)
    onState({ is: 'retrying', at: Date.now() + waitMs, why: trouble, failures })
    await sleep(waitMs, { signal, wake: online.onChange })
  }
}

/** Null for messages that only a newer client understands. */
function changeOf(event: string | undefined, data: string): RunsChange | null {
  if (event === 'live') return { is: 'anew' }
  if (event !== 'run') return null
  try {
    return { is: 'run', run: ListedRun.parse(JSON.parse(data)) }
  } catch (error) {
    throw new Unreachable('a change of a run that this client does not understand', error)
  }
}
