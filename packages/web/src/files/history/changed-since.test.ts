import { type Line, laptop, runner, sampleHash, sampleLog, web } from '@farhand/protocol/events/sample-log'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { changedSince } from './changed-since.ts'
import { pointInWords } from './point-in-words.ts'
import { RunFiles } from './run-files.ts'

const entry = (letter: string, mode = '100644') => ({ mode, hash: sampleHash(letter) })
const write = (path: string, letter: string, was?: unknown) => ({
  path,
  action: was ? 'modified' : 'created',
  ...entry(letter),
  size: 3,
  ...(was !== undefined && { was }),
})

function folded(...lines: Line[]): RunFiles {
  const files = new RunFiles()
  for (const event of sampleLog(...lines)) files.take(event)
  return files
}

const begun: Line[] = [
  [laptop, '_posthog/file_sync', { files: [write('a.txt', 'a', null), write('b.txt', 'b', null)] }],
  [laptop, '_posthog/git_commit', { sha: 'abcd1234', kind: 'base', upTo: 0 }],
  [laptop, '_posthog/user_message', { content: 'Do it' }],
  [runner, '_posthog/ack', { for: '_posthog/user_message', id: 3 }],
]
const since = (files: RunFiles, eventId: number) =>
  changedSince(files, eventId).map(({ path, how, before, after }) => [path, how, before, after])

describe('the changes since the run began', () => {
  it('are those after the first turn began, without files that a device sent before', () => {
    const files = folded(...begun, [runner, '_posthog/file_change', write('a.txt', 'c', entry('a'))])
    const [beginning] = files.points()
    expect(beginning).toEqual({ is: 'beginning', eventId: 3 })
    expect(since(files, beginning!.eventId)).toEqual([['a.txt', 'changed', entry('a'), entry('c')]])
  })

  it('leave out files that came and went, and those that are again as they were', () => {
    const files = folded(
      ...begun,
      [runner, '_posthog/file_change', write('new.txt', 'n', null)],
      [runner, '_posthog/file_change', { path: 'new.txt', action: 'deleted', was: entry('n') }],
      [runner, '_posthog/file_change', write('a.txt', 'c', entry('a'))],
      [runner, '_posthog/file_change', write('a.txt', 'a', entry('c'))],
    )
    expect(since(files, 3)).toEqual([])
  })

  it('tell which files were added and deleted', () => {
    const files = folded(
      ...begun,
      [runner, '_posthog/file_change', write('new.txt', 'n', null)],
      [runner, '_posthog/file_change', { path: 'b.txt', action: 'deleted', was: entry('b') }],
    )
    expect(since(files, 3)).toEqual([
      ['b.txt', 'deleted', entry('b'), null],
      ['new.txt', 'added', null, entry('n')],
    ])
  })

  it('take a file’s earlier state from the first event about it, and say if no event tells', () => {
    const files = folded(
      ...begun,
      [runner, '_posthog/file_change', write('said.txt', 'n', entry('o'))],
      [runner, '_posthog/file_change', { path: 'unsaid.txt', action: 'modified', ...entry('n') }],
    )
    expect(since(files, 3)).toEqual([
      ['said.txt', 'changed', entry('o'), entry('n')],
      ['unsaid.txt', 'changed', undefined, entry('n')],
    ])
  })

  it('do not count a version that was overruled', () => {
    const files = folded(
      ...begun,
      [laptop, '_posthog/file_sync', write('a.txt', 'd', entry('a'))],
      [runner, '_posthog/file_change', write('a.txt', 'c', entry('a'))],
    )
    expect(since(files, 3)).toEqual([['a.txt', 'changed', entry('a'), entry('d')]])
  })
})

describe('the moments to compare with', () => {
  it('are the beginning, and then checkpoints and messages, newest first', () => {
    const files = folded(
      ...begun,
      [runner, '_posthog/file_change', write('a.txt', 'c', entry('a'))],
      [runner, '_posthog/git_commit', { sha: 'beef1234', kind: 'checkpoint', upTo: 5, number: 1 }],
      [runner, '_posthog/file_change', write('a.txt', 'd', entry('c'))],
    )
    expect(files.points()).toMatchObject([
      { is: 'beginning', eventId: 3 },
      { is: 'checkpoint', eventId: 5, number: 1 },
      { is: 'message', eventId: 3, number: 1, text: 'Do it' },
    ])
    expect(since(files, 5)).toEqual([['a.txt', 'changed', entry('c'), entry('d')]])
  })

  it('are the whole workspace if no agent has begun and no repository was sent', () => {
    const files = folded([laptop, '_posthog/file_sync', write('a.txt', 'a', null)])
    expect(files.points()).toEqual([{ is: 'beginning', eventId: 0 }])
    expect(since(files, 0)).toEqual([['a.txt', 'added', null, entry('a')]])
  })
})

describe('the part that a rewind took back', () => {
  const log: Line[] = [
    ...begun,
    [runner, '_posthog/file_change', write('a.txt', 'c', entry('a'))],
    [runner, '_posthog/turn_complete', { messageId: 3, stopReason: 'end_turn' }],
    [runner, '_posthog/git_commit', { sha: 'beef1234', kind: 'checkpoint', upTo: 6, number: 1 }],
    [web, '_posthog/user_message', { content: 'And that' }],
    [runner, '_posthog/ack', { for: '_posthog/user_message', id: 8 }],
    [runner, '_posthog/file_change', write('a.txt', 'd', entry('c'))],
    [runner, '_posthog/turn_complete', { messageId: 8, stopReason: 'end_turn' }],
    [runner, '_posthog/git_commit', { sha: 'feed1234', kind: 'checkpoint', upTo: 11, number: 2 }],
    [
      web,
      '_posthog/file_sync',
      { files: [write('a.txt', 'c', entry('d'))], undoes: { from: 7, to: 12, everyone: true } },
    ],
  ]
  const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]
  const pointsOf = (files: RunFiles) => files.points().map(pointInWords)
  const takenOf = (files: RunFiles) =>
    files.counted('a.txt' as WorkspacePath).map((version) => [version.eventId, files.isTakenBack(version)])

  it('is marked at its moments, and not at the one that the run was rewound to', () => {
    const files = folded(...log, rewind(6))
    expect(pointsOf(files)).toEqual([
      'The beginning',
      'Checkpoint 2 (rewound)',
      'Before message 2: “And that” (rewound)',
      'Checkpoint 1',
      'Before message 1: “Do it”',
    ])
    expect(pointsOf(folded(...log, rewind(6), rewind(13)))).toEqual(pointsOf(folded(...log)))
  })

  it('is marked at the versions of that time, and not at those that restore others', () => {
    const back = [10, 5, 1].map((eventId) => [eventId, eventId === 10])
    expect(takenOf(folded(...log, rewind(6)))).toEqual([[13, false], ...back])
    expect(takenOf(folded(...log)).some(([, isTakenBack]) => isTakenBack)).toBe(false)
    expect(takenOf(folded(...log, rewind(6), rewind(13)))).toEqual(takenOf(folded(...log)))
  })

  it('updates the views of these files', () => {
    expect(folded(...log).take(sampleLog(...log, rewind(6)).at(-1)!)).toBe(true)
  })
})
