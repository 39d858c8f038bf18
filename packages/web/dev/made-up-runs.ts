import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const named = (prefix: string, nth: number) => `${prefix}_${String(nth).padStart(21, '0')}`

/** A run with the given state. */
function run(
  nth: number,
  title: string,
  ago: number,
  now: Partial<RunNow> | null,
  more: Partial<ListedRun> = {},
) {
  const usual: RunNow = {
    status: 'active',
    agentStatus: 'idle',
    mode: 'interactive',
    questions: 0,
    lastEventId: 40 + nth,
    sandboxHealthy: true,
    turns: 1,
    stopReason: 'end_turn',
    turnSince: null,
    lastActivityAt: minutesAgo(ago),
  }
  const listed: ListedRun = {
    id: RunId.parse(named('run', nth)),
    project: ProjectId.parse(named('prj', nth % 3)),
    task: TaskId.parse(named('tsk', nth)),
    agent: ['opencode', 'claude', 'codex'][nth % 3]!,
    mode: 'interactive',
    sandbox: 'auto',
    createdAt: minutesAgo(ago + 5),
    projectName: ['parser', 'website', 'infrastructure'][nth % 3]!,
    title,
    now: now && { ...usual, ...now },
    ...more,
  }
  return listed
}

/** One run of each kind, newest first. */
export const madeUpRuns: readonly ListedRun[] = [
  run(1, 'Find out why the tests of the parser fail on Windows, and mend it', 0, {
    agentStatus: 'thinking',
    turnSince: minutesAgo(3.4),
  }),
  run(2, 'Move the login page to the new form components', 2, { agentStatus: 'waiting', questions: 1 }),
  run(3, 'Upgrade PostgreSQL to 16', 6, { agentStatus: 'waiting', questions: 3 }, { isMuted: true }),
  run(4, 'Write a changelog for 2.4', 9, { status: 'provisioning', turns: 0 }),
  run(
    5,
    'A very long title that goes on and on because its user pasted the whole prompt into it',
    14,
    {},
    { sandbox: 'none' },
  ),
  run(6, 'Remove the dead flags', 22, {
    agentStatus: 'thinking',
    sandboxHealthy: false,
    turnSince: minutesAgo(22),
  }),
  run(7, 'Compress the images of the blog', 48, { turns: 2, stopReason: 'failed' }),
  run(8, 'Try the new compiler', 75, { stopReason: 'cancelled' }),
  run(9, 'Rename Widget to Part everywhere', 190, { status: 'asleep' }),
  run(10, 'Sandbox that did not come', 300, { status: 'failed', stopReason: null, turns: 0 }),
  run(11, 'Paused over the weekend', 900, { status: 'paused' }),
  run(12, 'Just opened', 1000, { status: 'queued', lastEventId: 0, turns: 0, lastActivityAt: null }),
  run(13, 'Old and closed', 3000, { status: 'closed' }),
  run(14, 'Its log is damaged', 20_000, null),
  ...Array.from({ length: 36 }, (_, at) =>
    run(15 + at, `Something from last month, number ${at + 1}`, 40_000 + at * 60, { status: 'asleep' }),
  ),
]
