import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FarSide } from './far-side.ts'

const event = (method: string, params = {}): SeenEvent => ({
  id: 1,
  type: 'notification',
  timestamp: '2026-01-01T00:00:00.000Z',
  notification: { jsonrpc: '2.0', method, params },
  by: { kind: 'hub' },
})
const inStep: SyncNote = { is: 'in-step', files: 1, cursor: 1, waiting: 0, leftOut: 0, onlyHere: 0 }
const progress = (toSend: number): SyncNote => ({ is: 'progress', toSend, sent: 0, toApply: 0, applied: 0 })

function begin() {
  vi.useFakeTimers()
  const over = new AbortController()
  onTestFinished(() => {
    over.abort()
    vi.useRealTimers()
  })
  const said = vi.fn(() => Promise.reject(new Error('lost')))
  const alive = vi.fn(() => Promise.reject(new Error('lost')))
  const looks: (() => void)[] = []
  const sent = () => new Promise<void>((resolve) => looks.push(resolve))
  const farSide = new FarSide({ sent, done: said, alive }, over.signal)
  /** The folder has been looked at, and what was found is in the run. */
  const looked = async () => {
    for (const done of looks.splice(0)) done()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { farSide, said, alive, looked, over }
}

describe('a folder in the seat of a runner', () => {
  it('W22 says that it is done, once, when the run is being closed and has all of it', async () => {
    const { farSide, said, looked } = begin()
    farSide.note(inStep)
    void farSide.onEvent(event('_posthog/user_message'))
    await looked()
    expect(said).not.toHaveBeenCalled()
    void farSide.onEvent(event('_posthog/close'))
    await looked()
    farSide.note(inStep)
    expect(said).toHaveBeenCalledTimes(1)
  })

  it('W22 does not say so before the folder was looked at once more, however long that takes', async () => {
    const { farSide, said, looked } = begin()
    farSide.note(inStep)
    void farSide.onEvent(event('_posthog/close'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(said).not.toHaveBeenCalled()
    await looked()
    expect(said).toHaveBeenCalledTimes(1)
  })

  it('W22 sends first what was changed right before', async () => {
    const { farSide, said, looked } = begin()
    farSide.note(inStep)
    void farSide.onEvent(event('_posthog/close'))
    farSide.note(progress(1))
    await looked()
    expect(said).not.toHaveBeenCalled()
    farSide.note(progress(0))
    farSide.note(inStep)
    expect(said).toHaveBeenCalledTimes(1)
  })

  it('W22 says it for the close that counts: what was opened again since is not being closed', async () => {
    const { farSide, said, looked } = begin()
    farSide.note(inStep)
    void farSide.onEvent(event('_posthog/close'))
    void farSide.onEvent(event('_posthog/status', { status: 'queued' }))
    await looked()
    farSide.note(inStep)
    expect(said).not.toHaveBeenCalled()
    for (const times of [1, 2]) {
      void farSide.onEvent(event('_posthog/close'))
      await looked()
      expect(said).toHaveBeenCalledTimes(times)
      void farSide.onEvent(event('_posthog/status', { status: 'queued' }))
    }
  })

  it('W23 shows that it is there while it has nothing to say, until it is over', async () => {
    const { alive, over } = begin()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(alive.mock.calls.length).toBeGreaterThanOrEqual(2)
    over.abort()
    alive.mockClear()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(alive).not.toHaveBeenCalled()
  })

  it('says nothing of a run that was closed before it could', async () => {
    const { farSide, said, looked, over } = begin()
    farSide.note(inStep)
    const heard = farSide.onEvent(event('_posthog/close'))
    over.abort()
    await looked()
    await heard
    expect(said).not.toHaveBeenCalled()
  })
})
