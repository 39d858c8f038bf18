import type { ListedRun } from '@farhand/protocol/schemas/api'
import { newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { whichRun } from './which-run.ts'

const ids = Array.from({ length: 4 }, () => newId(RunId, 'run'))
const [first, second, third, other] = ids as [RunId, RunId, RunId, RunId]
const listed = (id: RunId, status: 'active' | 'asleep' | 'failed' | 'closed' = 'active'): ListedRun => ({
  id,
  project: newId(ProjectId, 'prj'),
  task: newId(TaskId, 'tsk'),
  projectName: 'p',
  title: 't',
  agent: 'rehearsal',
  mode: 'interactive',
  sandbox: 'auto',
  createdAt: '2030-01-01T00:00:00.000Z',
  now: {
    status,
    agentStatus: 'idle',
    mode: 'interactive',
    questions: 0,
    lastEventId: 1,
  },
})

describe('a user who comes back and names no run', () => {
  it('comes back to that of the folder, first the one that it is linked to', () => {
    const runs = [listed(first), listed(second, 'asleep'), listed(third)]
    const ofThis = (run: RunId) => ({ is: 'this', run, why: 'folder' })
    expect(whichRun({ linked: second, ofFolder: [first], listed: runs })).toEqual(ofThis(second))
    expect(whichRun({ linked: other, ofFolder: [third, first], listed: runs })).toEqual(ofThis(first))
  })

  it('comes back to the only open one; one that has failed is open', () => {
    const runs = [listed(first, 'closed'), listed(second, 'failed')]
    expect(whichRun({ linked: first, ofFolder: [], listed: runs })).toEqual({
      is: 'this',
      run: second,
      why: 'only',
    })
  })

  it('ends nothing of another folder: the closed one of this folder is meant then', () => {
    const runs = [listed(first, 'closed'), listed(second)]
    const ofThis = { is: 'this', run: first, why: 'folder' }
    expect(whichRun({ linked: first, ofFolder: [], listed: runs, ends: true })).toEqual(ofThis)
    expect(whichRun({ linked: null, ofFolder: [first], listed: runs, ends: true })).toEqual(ofThis)
    expect(whichRun({ linked: null, ofFolder: [], listed: runs, ends: true })).toMatchObject({ run: second })
  })

  it('chooses where there are several, and hears of a closed one of the folder where there is none', () => {
    const runs = [listed(first), listed(second, 'closed'), listed(third)]
    const asked = whichRun({ linked: null, ofFolder: [], listed: runs })
    expect(asked).toMatchObject({ is: 'ask', among: [{ id: first }, { id: third }] })
    const closed = [listed(first, 'closed')]
    expect(whichRun({ linked: null, ofFolder: [first], listed: closed })).toEqual({
      is: 'none',
      closed: first,
    })
    expect(whichRun({ linked: null, ofFolder: [], listed: [] })).toEqual({ is: 'none', closed: null })
  })
})
