import {
  hub,
  type Line,
  laptop,
  runner,
  sampleHash,
  sampleLog,
  web,
} from '@farhand/protocol/events/sample-log'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { neededByLog } from './needed-by-log.ts'

const [a, b, c, d] = [sampleHash('a'), sampleHash('b'), sampleHash('c'), sampleHash('d')]
const entry = (hash: string) => ({ mode: '100644', hash })
const write = (path: string, hash: string, was: string | null = null) => ({
  path,
  action: was ? 'modified' : 'created',
  hash,
  was: was && entry(was),
})
const remove = (path: string, was: string) => ({ path, action: 'deleted', was: entry(was) })

/** Until when the log needs each blob: the id of the event that ended it, or 'still'. */
async function needs(...lines: Line[]): Promise<Record<string, number | 'still'>> {
  const events = sampleLog(...lines)
  const idAt = new Map(events.map((event) => [Date.parse(event.timestamp), event.id]))
  const found = await neededByLog(streamed(events))
  return Object.fromEntries([...found].map(([hash, until]) => [hash, idAt.get(until) ?? 'still']))
}

async function* streamed(events: StoredEvent[]) {
  yield* events
}

const start: Line = [hub, '_posthog/session_start', { generation: 1 }]
const close: Line[] = [
  [web, '_posthog/close'],
  [hub, '_posthog/session_close', { reason: 'closed' }],
]

describe('W25 a log needs', () => {
  it('nothing while it is empty', async () => {
    expect(await needs()).toEqual({})
  })

  it('the files of its workspace for as long as the run is open', async () => {
    expect(
      await needs(
        start,
        [runner, '_posthog/file_change', write('x', a)],
        [laptop, '_posthog/file_sync', { files: [write('y', b), write('z', c)] }],
        [hub, '_posthog/status', { status: 'asleep' }],
      ),
    ).toEqual({ [a]: 'still', [b]: 'still', [c]: 'still' })
  })

  it('for good what came after the last checkpoint, also of a run that was closed in its sleep', async () => {
    const commit = { kind: 'checkpoint', sha: 'abcd', upTo: 3, bundle: d }
    const story: Line[] = [
      start,
      [runner, '_posthog/file_change', write('x', a)],
      [runner, '_posthog/file_change', write('y', b)],
      [runner, '_posthog/git_commit', commit],
      [laptop, '_posthog/file_sync', write('y', c, b)],
      ...close,
    ]
    expect(await needs(...story)).toEqual({ [a]: 7, [b]: 5, [c]: 'still', [d]: 'still' })
  })

  it('a version that was replaced or deleted until that happened', async () => {
    expect(
      await needs(
        start,
        [runner, '_posthog/file_change', write('x', a)],
        [laptop, '_posthog/file_sync', write('x', b, a)],
        [runner, '_posthog/file_change', write('y', c)],
        [runner, '_posthog/file_change', remove('y', c)],
      ),
    ).toEqual({ [a]: 3, [b]: 'still', [c]: 5 })
  })

  it('a version that did not count until it was written down', async () => {
    expect(
      await needs(
        start,
        [runner, '_posthog/file_change', write('x', a)],
        [laptop, '_posthog/file_sync', write('x', b, a)],
        [runner, '_posthog/file_change', write('x', c, a)],
        [laptop, '_posthog/file_kept', { path: 'x', hash: d, mode: '100644', why: 'offered' }],
      ),
    ).toEqual({ [a]: 3, [b]: 'still', [c]: 4, [d]: 5 })
  })

  it('what is again, or elsewhere still, in the workspace', async () => {
    expect(
      await needs(
        start,
        [runner, '_posthog/file_change', write('x', a)],
        [runner, '_posthog/file_change', write('x', b, a)],
        [runner, '_posthog/file_change', write('x', a, b)],
        [runner, '_posthog/file_change', write('copy', b)],
      ),
    ).toEqual({ [a]: 'still', [b]: 'still' })
  })

  it('what the conversation shows while the run is open, and an answer of the moment no longer than that', async () => {
    const lines: Line[] = [
      start,
      [web, '_posthog/user_message', { content: 'see', attachments: [{ hash: a, name: 'a.png' }] }],
      [runner, 'tool_call', { toolCallId: 't', title: 'x', blobs: [b] }],
      [runner, '_posthog/file_content', { path: 'x', hash: c }],
    ]
    expect(await needs(...lines)).toEqual({ [a]: 'still', [b]: 'still', [c]: 4 })
    expect(await needs(...lines, ...close)).toEqual({ [a]: 6, [b]: 6, [c]: 4 })
  })

  it('W38 what its agent remembers, and what it remembered before until that was replaced', async () => {
    const memory = (files: string, blobs: string[], upTo: number, agent = 'a'): Line => [
      runner,
      '_posthog/agent_memory',
      { agent, sessionId: 's', files, blobs, upTo },
    ]
    const [first, second] = [memory(a, [b, c], 1), memory(d, [c], 2)]
    expect(await needs(start, first)).toEqual({ [a]: 'still', [b]: 'still', [c]: 'still' })
    const both = [start, first, second]
    expect(await needs(...both)).toEqual({ [a]: 3, [b]: 3, [c]: 'still', [d]: 'still' })
    expect(await needs(...both, ...close)).toEqual({ [a]: 3, [b]: 3, [c]: 5, [d]: 5 })
    expect(await needs(start, first, memory(d, [], 2, 'other'))).toMatchObject({ [a]: 'still', [d]: 'still' })
    // Put back to where it knew less, it goes on from there.
    const rewound = await needs(...both, [web, '_posthog/rewind', { to: 1 }])
    expect(rewound).toEqual({ [a]: 'still', [b]: 'still', [c]: 'still', [d]: 4 })
  })

  it('the bundles of its commits for ever', async () => {
    const commit = { sha: 'abcd', kind: 'checkpoint', upTo: 0, bundle: a, index: b }
    expect(await needs(start, [runner, '_posthog/git_commit', commit], ...close)).toEqual({
      [a]: 'still',
      [b]: 'still',
    })
  })

  it('its files until it is closed, and again once it is opened again', async () => {
    const lines: Line[] = [start, [runner, '_posthog/file_change', write('x', a)], ...close]
    expect(await needs(...lines)).toEqual({ [a]: 4 })
    const opened: Line = [hub, '_posthog/status', { status: 'queued', reason: 'opened again' }]
    expect(await needs(...lines, opened)).toEqual({ [a]: 'still' })
    expect(await needs(...lines, opened, ...close)).toEqual({ [a]: 7 })
  })

  it('its files when it failed: only closing ends them', async () => {
    const failed: Line = [hub, '_posthog/status', { status: 'failed', reason: 'no sandbox' }]
    expect(await needs(start, [runner, '_posthog/file_change', write('x', a)], failed)).toEqual({
      [a]: 'still',
    })
  })
})
