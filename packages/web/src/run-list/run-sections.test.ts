import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { runSections } from './run-sections.ts'

const idle: RunNow = {
  status: 'active',
  agentStatus: 'idle',
  mode: 'interactive',
  questions: 0,
  lastEventId: 9,
}
const run = (title: string, now: Partial<RunNow>): ListedRun => ({
  id: RunId.parse('run_00000000'),
  project: ProjectId.parse('prj_00000000'),
  task: TaskId.parse('tsk_00000000'),
  agent: null,
  mode: 'interactive',
  sandbox: 'auto',
  createdAt: '2026-01-01T00:00:00.000Z',
  projectName: 'Garden',
  title,
  now: { ...idle, ...now },
})

describe('the sections of the list', () => {
  it('have runs that wait for the user first, even if others are newer, and keep the order within each section', () => {
    const sections = runSections([
      run('done', {}),
      run('works', { agentStatus: 'thinking' }),
      run('asks late', { questions: 1, agentStatus: 'waiting' }),
      run('starts', { status: 'provisioning' }),
      run('asks early', { questions: 1, agentStatus: 'waiting' }),
      run('sleeps', { status: 'asleep' }),
    ])
    expect(sections.map(({ name, runs }) => [name, runs.map(({ title }) => title)])).toEqual([
      ['Needs you', ['asks late', 'asks early']],
      ['Working', ['works', 'starts']],
      ['Earlier', ['done', 'sleeps']],
    ])
  })

  it('are in the order of the ages that are shown beside the runs', () => {
    const active = (title: string, lastActivityAt: string | null) => run(title, { lastActivityAt })
    const [earlier] = runSections([
      active('new and quiet', null),
      active('old and just woken', '2026-03-01T00:00:00.000Z'),
      active('in between', '2026-02-01T00:00:00.000Z'),
    ])
    expect(earlier?.runs.map(({ title }) => title)).toEqual([
      'old and just woken',
      'in between',
      'new and quiet',
    ])
  })

  it('are only those that have runs', () => {
    expect(runSections([run('done', {})]).map(({ name }) => name)).toEqual(['Earlier'])
    expect(runSections([])).toEqual([])
  })
})
