import { ListedRun, type RunNow } from '@farhand/protocol/schemas/api'
import { expect, it } from 'vitest'
import { newsOfRun } from './notify-in-page.ts'

const idle: RunNow = {
  ...{ status: 'active', agentStatus: 'idle', mode: 'interactive', questions: 0, lastEventId: 9 },
  ...{ turns: 1, stopReason: 'end_turn' },
}
const working: RunNow = { ...idle, agentStatus: 'thinking', turns: 0, stopReason: null }

const run = (now: RunNow | null, more: Partial<ListedRun> = {}) =>
  ListedRun.parse({
    ...{
      id: 'run_00000001',
      project: 'prj_00000001',
      task: 'tsk_00000001',
      agent: null,
      mode: 'interactive',
    },
    ...{ sandbox: null, createdAt: '2026-01-01T00:00:00.000Z', projectName: 'shop', title: 'Mend it' },
    now,
    ...more,
  })

const cases: [string, RunNow | null, RunNow | null, ReturnType<typeof newsOfRun>][] = [
  ['it is done', working, idle, 'done'],
  ['it was done before', idle, idle, null],
  ['it asks', working, { ...working, agentStatus: 'waiting', questions: 1 }, 'needs-you'],
  ['an answer was given', { ...working, questions: 1 }, working, null],
  ['its turn failed', working, { ...idle, stopReason: 'failed' }, 'failed'],
  ['it cannot go on', working, { ...working, status: 'failed', agentStatus: 'idle' }, 'failed'],
  ['a user stopped it', working, { ...idle, stopReason: 'cancelled' }, null],
  ['the next message is being worked on', working, { ...working, turns: 1, stopReason: 'end_turn' }, null],
  ['its log cannot be read', null, idle, null],
]

it.each(cases)('news in the list: %s', (_, before, after, news) => {
  expect(newsOfRun(run(before), run(after))).toBe(news)
  expect(newsOfRun(run(before), run(after, { isMuted: true }))).toBeNull()
})
