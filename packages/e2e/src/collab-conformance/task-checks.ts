import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert'
import { type Answer, ask, type Frame, follow, type ServerUnderTest } from './collab-server.ts'

/** A sentence about a server, and how it is found out whether it is true. */
export type Check = { says: string; find: (server: ServerUnderTest) => Promise<void> }

const over = ['completed', 'failed', 'canceled']
const isOver = ({ type, data }: Frame) =>
  type === 'acp_task_completed' ||
  (type === 'acp_task_status' && ['failed', 'canceled'].includes(String(data.status)))
const isStatus =
  (...statuses: string[]) =>
  ({ type, data }: Frame) =>
    type === 'acp_task_status' && statuses.includes(String(data.status))

async function begin(
  server: ServerUnderTest,
  task: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { status, body } = await ask(server, 'POST', '/acp/tasks', {
    body: { ...server.extra, task, ...more },
  })
  equal(status, 201, `creating a task was answered with ${status}: ${JSON.stringify(body)}`)
  ok(typeof body.task_id === 'string', 'a new task has a task_id')
  equal(body.status, 'submitted')
  return body.task_id
}

const get = (server: ServerUnderTest, task: string) => ask(server, 'GET', `/acp/tasks/${task}`)
const change = (server: ServerUnderTest, task: string, action: string) =>
  ask(server, 'PATCH', `/acp/tasks/${task}/state`, { body: { action } })
const input = (server: ServerUnderTest, task: string, said: unknown) =>
  ask(server, 'POST', `/acp/tasks/${task}/input`, { body: { input: said } })

const isAnswered = ({ status }: Answer, ...expected: number[]) =>
  ok(expected.includes(status), `expected ${expected.join(' or ')}, got ${status}`)

const fields: Record<string, Record<string, string>> = {
  acp_task_status: { task_id: 'string', status: 'string' },
  acp_thinking: { text: 'string' },
  acp_tool_start: { tool: 'string', input_summary: 'string' },
  acp_tool_end: { tool: 'string', summary: 'string', duration_ms: 'number' },
  acp_text_delta: { delta: 'string' },
  acp_progress: { phase: 'string', completed: 'number', total: 'number' },
  acp_input_needed: { prompt: 'string', options: 'object' },
  acp_task_completed: { result_summary: 'string' },
  acp_gap: { snapshot: 'object' },
}

function hasItsFields({ type, seq, data }: Frame): void {
  ok(Number.isSafeInteger(seq) && seq >= 0, `${type} has a whole number as its seq`)
  for (const [name, kind] of Object.entries(fields[type] ?? {}))
    equal(typeof data[name], kind, `${type} has ${name}`)
}

/** Section 2 (forward) and 6 of the seed: the task endpoints, their states and their events. */
export const taskChecks: readonly Check[] = [
  {
    says: 'each address of tasks wants a token',
    async find(server) {
      for (const [method, path, body] of [
        ['POST', '/acp/tasks', { task: 'x' }],
        ['GET', '/acp/tasks/acp_nosuchtask'],
        ['GET', '/acp/tasks/acp_nosuchtask/stream'],
        ['PATCH', '/acp/tasks/acp_nosuchtask/state', { action: 'cancel' }],
        ['POST', '/acp/tasks/acp_nosuchtask/input', { input: 'x' }],
      ] as const) {
        isAnswered(await ask(server, method, path, { body, token: null }), 401)
        isAnswered(await ask(server, method, path, { body, token: 'not-a-token' }), 401)
      }
    },
  },
  {
    says: 'a task that does not exist is 404 at each address',
    async find(server) {
      isAnswered(await get(server, 'acp_nosuchtask'), 404)
      isAnswered(await ask(server, 'GET', '/acp/tasks/acp_nosuchtask/stream?last_seq=0'), 404)
      isAnswered(await change(server, 'acp_nosuchtask', 'cancel'), 404)
      isAnswered(await input(server, 'acp_nosuchtask', 'x'), 404)
    },
  },
  {
    says: 'a task without a text, a body that is no JSON and one of many megabytes are refused',
    async find(server) {
      isAnswered(await ask(server, 'POST', '/acp/tasks', { body: {} }), 400, 422)
      isAnswered(await ask(server, 'POST', '/acp/tasks', { body: { task: '' } }), 400, 422)
      isAnswered(await ask(server, 'POST', '/acp/tasks', { raw: '{"task":' }), 400, 422)
      isAnswered(
        await ask(server, 'POST', '/acp/tasks', { body: { task: 'x'.repeat(16 * 1024 ** 2) } }),
        400,
        413,
        422,
      )
    },
  },
  {
    says: 'a task is created with its context and conversation, can be read, and is canceled before it begins',
    async find(server) {
      const task = await begin(server, server.says.long, {
        context: 'User is interested in open-source projects',
        conversation_id: 'conv_xxx',
      })
      const { status, body } = await get(server, task)
      equal(status, 200)
      equal(body.task_id, task)
      equal((await change(server, task, 'cancel')).status, 200)
      await follow(server, task, { until: isStatus('canceled') })
      equal((await get(server, task)).body.status, 'canceled')
    },
  },
  {
    says: 'a task goes from submitted over working to completed; its events have the fields of the seed, and the result is the last',
    async find(server) {
      const task = await begin(server, server.says.work)
      const frames = (await follow(server, task)).map(({ frame }) => frame)
      for (const frame of frames) hasItsFields(frame)
      const states = frames.filter(({ type }) => type === 'acp_task_status').map(({ data }) => data.status)
      same(states, ['submitted', 'working', 'completed'])
      const types = new Set(frames.map(({ type }) => type))
      for (const type of ['acp_tool_start', 'acp_tool_end', 'acp_text_delta', 'acp_progress'])
        ok(types.has(type), `${type} is told`)
      equal(frames.at(-1)?.type, 'acp_task_completed')
      const begun = frames.findIndex(({ type }) => type === 'acp_tool_start')
      ok(begun < frames.findIndex(({ type }) => type === 'acp_tool_end'), 'a tool ends after it began')
      const { body } = await get(server, task)
      equal(body.status, 'completed')
      equal(body.result_summary, frames.at(-1)?.data.result_summary)
      await findsNothingLost(server, task)
      await findsItOver(server, task)
    },
  },
  {
    says: 'a question is told with its options, and the task goes on with the answer',
    async find(server) {
      const task = await begin(server, server.says.ask)
      const asked = await follow(server, task, { until: ({ type }) => type === 'acp_input_needed' })
      hasItsFields(asked.at(-1)!.frame)
      const taken = await input(server, task, server.says.answer)
      ok([200, 202, 204].includes(taken.status), `an answer is taken, not ${taken.status}`)
      const rest = await follow(server, task, { after: asked.at(-1)!.frame.seq, until: isOver })
      equal(rest.at(-1)?.frame.type, 'acp_task_completed')
      ok(JSON.stringify(rest).includes(server.says.answer), 'the agent got the answer')
    },
  },
  {
    says: 'a task is paused, stays so, goes on when it is resumed, and can be canceled; what is not allowed is 409',
    async find(server) {
      const task = await begin(server, server.says.long)
      isAnswered(await change(server, task, 'resume'), 409)
      await follow(server, task, { until: isStatus('working') })
      isAnswered(await change(server, task, 'resume'), 409)
      equal((await change(server, task, 'pause')).status, 200)
      await follow(server, task, { until: isStatus('paused') })
      equal((await get(server, task)).body.status, 'paused')
      isAnswered(await change(server, task, 'pause'), 409)
      equal((await change(server, task, 'resume')).status, 200)
      // The agent may be done before the next request.
      isAnswered(await change(server, task, 'cancel'), 200, 409)
      const frames = (await follow(server, task, { until: isOver })).map(({ frame }) => frame)
      const states = frames.filter(({ type }) => type === 'acp_task_status').map(({ data }) => data.status)
      same(states.slice(0, 4), ['submitted', 'working', 'paused', 'working'])
      ok(states.length === 5 && ['canceled', 'completed'].includes(String(states[4])), `it ends: ${states}`)
      await findsItOver(server, task)
    },
  },
  {
    says: 'a task whose agent fails is failed',
    async find(server) {
      if (server.says.fail === null) return
      const task = await begin(server, server.says.fail)
      const frames = await follow(server, task)
      same(frames.at(-1)?.frame.data.status, 'failed')
      equal((await get(server, task)).body.status, 'failed')
    },
  },
  {
    says: 'a change that does not exist, and an input without a word, are refused',
    async find(server) {
      const task = await begin(server, server.says.long)
      isAnswered(await change(server, task, 'explode'), 400, 422)
      isAnswered(await ask(server, 'POST', `/acp/tasks/${task}/input`, { body: {} }), 400, 422)
      equal((await change(server, task, 'cancel')).status, 200)
    },
  },
  {
    says: 'a task of another user is 404 at each address',
    async find(server) {
      if (server.otherToken === undefined) return
      const task = await begin(server, server.says.long)
      const other = { ...server, token: server.otherToken }
      isAnswered(await get(other, task), 404)
      isAnswered(await ask(other, 'GET', `/acp/tasks/${task}/stream`), 404)
      isAnswered(await change(other, task, 'cancel'), 404)
      isAnswered(await input(other, task, 'x'), 404)
      equal((await change(server, task, 'cancel')).status, 200)
    },
  },
]

/** Continues after every event: each time exactly what follows it, or one gap with a snapshot of the task in place of that. */
async function findsNothingLost(server: ServerUnderTest, task: string): Promise<void> {
  const whole = await follow(server, task)
  if (whole[0]?.frame.type === 'acp_gap') return
  const seqs = whole.map(({ frame }) => frame.seq)
  same(
    seqs,
    seqs.toSorted((a, b) => a - b),
    'seq never goes back',
  )
  const some = [...new Set(seqs)]
  for (const seq of some) {
    const rest = whole.filter(({ frame }) => frame.seq > seq)
    const told = await follow(server, task, { after: seq })
    if (told[0]?.frame.type !== 'acp_gap') same(told, rest, `after ${seq} comes what follows it`)
  }
  const byHeader = await follow(server, task, { lastEventId: String(seqs.at(-1)) })
  same(byHeader, [])
  for (const wrong of ['-1', 'NaN', '999999999'])
    isAnswered(await ask(server, 'GET', `/acp/tasks/${task}/stream?last_seq=${wrong}`), 400, 404, 409, 422)
}

/** A task that is over takes no input and no change. */
async function findsItOver(server: ServerUnderTest, task: string): Promise<void> {
  ok(over.includes(String((await get(server, task)).body.status)))
  for (const action of ['pause', 'resume', 'cancel']) isAnswered(await change(server, task, action), 409)
  isAnswered(await input(server, task, 'more'), 409)
}
