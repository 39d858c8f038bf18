import type { ListedRun } from '@farhand/protocol/schemas/api'
import { newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { expect, it } from 'vitest'
import { hubFilter, isWanted, type RunFilter } from './run-filter.ts'

const project = newId(ProjectId, 'prj')
const listed = (
  more: Partial<ListedRun> = {},
  now: Partial<NonNullable<ListedRun['now']>> = {},
): ListedRun => ({
  id: newId(RunId, 'run'),
  project,
  task: newId(TaskId, 'tsk'),
  projectName: 'Tool',
  title: 't',
  agent: 'codex',
  mode: 'interactive',
  sandbox: 'auto',
  createdAt: '2030-01-01T00:00:00.000Z',
  now: { status: 'active', agentStatus: 'idle', mode: 'interactive', questions: 0, lastEventId: 1, ...now },
  ...more,
})

it.each<[string, RunFilter, ListedRun, boolean]>([
  ['everything', {}, listed(), true],
  ['a project by its name, in any case', { project: 'tool' }, listed(), true],
  ['a project by its id', { project }, listed(), true],
  ['another project', { project: 'other' }, listed(), false],
  ['an agent', { agent: 'codex' }, listed(), true],
  ['a run without an agent', { agent: 'codex' }, listed({ agent: null }), false],
  ['all that are open', { status: 'open' }, listed({}, { status: 'asleep' }), true],
  ['no closed one as open', { status: 'open' }, listed({}, { status: 'closed' }), false],
  ['what its agent does', { status: 'thinking' }, listed({}, { agentStatus: 'thinking' }), true],
  ['not what the agent of a sleeping run did', { status: 'idle' }, listed({}, { status: 'asleep' }), false],
  ['how the run stands', { status: 'asleep' }, listed({}, { status: 'asleep' }), true],
  [
    'those that ask something',
    { status: 'waiting' },
    listed({}, { status: 'asleep', agentStatus: 'waiting' }),
    true,
  ],
  ['nothing of a run whose log cannot be read', { status: 'open' }, listed({ now: null }), false],
])('lists %s', (_, filter, run, isListed) => {
  expect(isWanted(run, filter)).toBe(isListed)
})

it('the hub looks for what it can look for', () => {
  expect(hubFilter({ status: 'closed', agent: 'x' })).toEqual({ status: 'closed' })
  expect(hubFilter({ status: 'waiting' })).toEqual({ waiting: true })
  expect(hubFilter({ status: 'thinking' })).toEqual({})
})
