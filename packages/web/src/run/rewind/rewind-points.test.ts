import { type Line, runner, sampleHash, sampleLog, web } from '@farhand/protocol/events/sample-log'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { isAnyChange, rewindPlanInWords } from './rewind-dialog.tsx'
import { RewindPoints, rewindPointsUpTo } from './rewind-points.ts'
import { rewindEvents } from './rewind-run.ts'

const entry = (letter: string) => ({ mode: '100644' as const, hash: sampleHash(letter) })
const [kept, late] = ['kept.txt', 'late.txt'] as WorkspacePath[] as [WorkspacePath, WorkspacePath]
const turn = (id: number, ...between: Line[]): Line[] => [
  [web, '_posthog/user_message', { content: `message ${id}` }],
  [runner, '_posthog/ack', { for: '_posthog/user_message', id }],
  ...between,
  [runner, '_posthog/turn_complete', { messageId: id, stopReason: 'end_turn' }],
]
const lines: Line[] = [
  ...turn(1, [runner, '_posthog/file_change', { path: kept, action: 'created', ...entry('a'), was: null }]),
  [runner, '_posthog/git_commit', { sha: 'a'.repeat(40), kind: 'checkpoint', number: 1, upTo: 4 }],
  ...turn(
    6,
    [runner, '_posthog/file_change', { path: kept, action: 'modified', ...entry('b'), was: entry('a') }],
    [runner, '_posthog/file_change', { path: late, action: 'created', ...entry('c'), was: null }],
  ),
]

function momentsOf(...lines: Line[]): RewindPoints {
  const rewindPoints = new RewindPoints()
  for (const event of sampleLog(...lines)) rewindPoints.take(event)
  return rewindPoints
}

/** What a rewind from a browser makes of the log. */
function after(lines: readonly Line[], to: number, withConversation = true): Line[] {
  const rewindPoints = momentsOf(...lines)
  const events = rewindEvents(rewindPoints, rewindPoints.planRewind(to), withConversation)
  return [...lines, ...events.map(({ method, params }): Line => [web, method, params ?? {}])]
}

describe('rewinding a run', () => {
  it('is offered before each message, at each checkpoint and at the beginning, newest first', () => {
    const rewindPoints = momentsOf(...lines)
    expect(rewindPoints.points().map(({ is, eventId }) => [is, eventId])).toEqual([
      ['message', 6],
      ['checkpoint', 4],
      ['message', 1],
      ['beginning', 1],
    ])
    expect(rewindPoints.pointAt(5)).toMatchObject({ is: 'checkpoint', eventId: 4 })
  })

  it('says before what it will do', () => {
    const way = momentsOf(...lines).planRewind(5)
    expect(rewindPlanInWords(way, true)).toEqual([
      '1 file will be as it was then.',
      '1 file that came later will be deleted, and can be put back any time.',
      'The agent will forget 1 message.',
    ])
    expect(rewindPlanInWords(way, false).at(-1)).toBe('The agent still knows the whole conversation.')
    const nothing = momentsOf(...lines).planRewind(10)
    expect(rewindPlanInWords(nothing, true)).toEqual([
      'The files are as they were then.',
      'Nothing of the conversation changes.',
    ])
    expect([isAnyChange(way, false), isAnyChange(nothing, true)]).toEqual([true, false])
  })

  it('has the files as they were then, and is undone by going to the event before it', () => {
    const back = after(lines, 5)
    const { tree } = momentsOf(...back).files.versions
    expect([tree.entry(kept), tree.entry(late)]).toEqual([entry('a'), null])
    expect(momentsOf(...back).planRewind(10)).toMatchObject({ forgotten: 0, known: 1 })
    const again = momentsOf(...after(back, 10)).files.versions.tree
    expect([again.entry(kept), again.entry(late)]).toEqual([entry('b'), entry('c')])
  })

  it('leaves the conversation alone if only files are wanted', () => {
    const added = after(lines, 5, false).slice(lines.length)
    expect(added.map(([, method]) => method)).toEqual(['_posthog/file_sync'])
  })

  it('waits for the events that it depends on', async () => {
    const [first, ...rest] = sampleLog(...lines)
    let tell: (events: readonly (typeof rest)[number][]) => void = () => {}
    const asked = rewindPointsUpTo((take) => {
      tell = take
      take([first!])
      return () => {}
    }, lines.length)
    tell(rest)
    expect((await asked).cursor).toBe(lines.length)
    const known = await rewindPointsUpTo((take) => {
      take([first!, ...rest])
      return () => {}
    }, 3)
    expect(known.cursor).toBe(lines.length)
  })
})
