import { ListedRun } from '@farhand/protocol/schemas/api'
import { describe, expect, it } from 'vitest'
import { KnownRuns } from './known-runs.ts'

const run = (title: string, isArchived = false): ListedRun =>
  ListedRun.parse({
    ...{ id: 'run_known000', project: 'prj_known000', task: 'tsk_known000', agent: null, sandbox: null },
    ...{ mode: 'interactive', createdAt: '2026-01-01T00:00:00.000Z', projectName: 'demo', now: null },
    ...{ title, isArchived },
  })
const { id } = run('')

describe('the known state of a run', () => {
  it('is the one that arrived last, and not that of an answer that was on its way meanwhile', () => {
    const known = new KnownRuns()
    const asked = known.now
    known.takeChange(run('heard'))
    expect(known.takeAnswer(run('older'), asked).title).toBe('heard')
    expect(known.changedSince(asked).map(({ title }) => title)).toEqual(['heard'])
    expect(known.takeAnswer(run('newer'), known.now).title).toBe('newer')
    expect(known.changedSince(known.now)).toEqual([])
  })

  it('keeps a change of the user until the hub has confirmed or refused it, even if the hub sends an older state before', () => {
    const known = new KnownRuns()
    known.takeChange(run('old'))
    const [renamed, archived] = [{ title: 'new' }, { isArchived: true }]
    known.addPending(id, renamed)
    known.addPending(id, archived)
    known.takeChange(run('old'))
    expect(known.of(id)).toMatchObject({ title: 'new', isArchived: true })
    const asked = known.now
    known.endPending(id, renamed, true)
    known.endPending(id, archived, false)
    expect(known.of(id)).toMatchObject({ title: 'new', isArchived: false })
    // This page was made before the hub had the new title.
    expect(known.takeAnswer(run('old'), asked).title).toBe('new')
  })

  it('is the same object until it changes, and nothing before anything arrived', () => {
    const known = new KnownRuns()
    known.addPending(id, { title: 'of nothing' })
    expect(known.of(id)).toBeNull()
    const heard = run('heard')
    const other = new KnownRuns()
    other.takeChange(heard)
    expect(other.of(id)).toBe(heard)
  })
})
