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

describe('what is known of a run', () => {
  it('is what was heard last, and not an answer that was on its way meanwhile', () => {
    const known = new KnownRuns()
    const asked = known.now
    known.hear(run('heard'))
    expect(known.answer(run('older'), asked).title).toBe('heard')
    expect(known.heardSince(asked).map(({ title }) => title)).toEqual(['heard'])
    expect(known.answer(run('newer'), known.now).title).toBe('newer')
    expect(known.heardSince(known.now)).toEqual([])
  })

  it('keeps what somebody asked for until the hub has said yes or no, whatever is told before', () => {
    const known = new KnownRuns()
    known.hear(run('old'))
    const [renamed, archived] = [{ title: 'new' }, { isArchived: true }]
    known.mean(id, renamed)
    known.mean(id, archived)
    known.hear(run('old'))
    expect(known.of(id)).toMatchObject({ title: 'new', isArchived: true })
    const asked = known.now
    known.settle(id, renamed, true)
    known.settle(id, archived, false)
    expect(known.of(id)).toMatchObject({ title: 'new', isArchived: false })
    // This page was made before the hub had the new title.
    expect(known.answer(run('old'), asked).title).toBe('new')
  })

  it('is the same object until it changes, and nothing before anything was heard', () => {
    const known = new KnownRuns()
    known.mean(id, { title: 'of nothing' })
    expect(known.of(id)).toBeNull()
    const heard = run('heard')
    const other = new KnownRuns()
    other.hear(heard)
    expect(other.of(id)).toBe(heard)
  })
})
