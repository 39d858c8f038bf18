import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { post } from '@farhand/client/post/post'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import { newId, QuestionId } from '@farhand/protocol/wire/ids'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hubHere } from '../../commands/local-hub/hub-here-under-test.ts'
import { RunOfFiles } from '../../commands/pull/run-of-files-under-test.ts'
import { runHere, testContext } from '../../context/command-context-under-test.ts'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'
import { LiveScreen } from '../live-screen.ts'
import { openQuestion } from '../questions/open-question-under-test.ts'
import { textRunScreen } from '../run-screen/run-screen.ts'

// Colours that hide text, a clipboard that is written, a link, a title, the same in C1 controls, and lines turned around.
const hostile = (name: string) =>
  `${name}\x1b[8m\x1b[2J\x1b]52;c;Z290Y2hh\x07\x1b]8;;http://evil/\x1b\\x\x9b1A\x9d0;t\x9c\b\b\r\x7f\u202e\u2066z`

/** What is left for a terminal to obey once the colours and the wiping that Farhand itself writes are taken away. */
function obeyed(text: string): string[] {
  const esc = '\x1b'
  const own = new RegExp(`\\r${esc}\\[K|${esc}\\[\\?7[lh]|${esc}\\[(?:0|1|2|4|22|24|3[1-6]|39)m`, 'g')
  return text.replace(own, '').match(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu) ?? []
}

const atTerminal = { terminal: true, isPiped: false, color: true }

async function hostileRun() {
  const here = await hubHere()
  onTestFinished(here.stop)
  const { hub } = here
  const project = await createProject(hub, { name: hostile('project') })
  const task = await createTask(hub, project.id, { title: hostile('title') })
  const run = await createRun(hub, project.id, task.id, { sandbox: 'none', agent: hostile('agent') })
  const at = addressOf(run)
  const runner = { ...hub, token: (await beginRunner(hub, at)).token }
  await post(runner, at, {
    jsonrpc: '2.0',
    method: '_posthog/agent_question',
    params: {
      questionId: newId(QuestionId, 'qst'),
      question: hostile('question'),
      options: [hostile('option')],
    },
  })
  const access = ['--hub', hub.url, '--token', hub.token, '--state', await temporaryFolder()]
  return { project, at, access }
}

const messages: [string, Record<string, unknown>][] = [
  ['agent_message_chunk', { text: hostile('words') }],
  ['agent_thought_chunk', { text: hostile('thought') }],
  ['tool_call', { toolCallId: 't', title: hostile('tool'), kind: 'execute', status: 'pending' }],
  [
    'tool_result',
    {
      toolCallId: 't',
      title: hostile('tool'),
      kind: 'edit',
      status: 'completed',
      content: [
        { type: 'content', content: { type: 'text', text: hostile('output') } },
        { type: 'diff', path: hostile('path'), oldText: hostile('old'), newText: hostile('new') },
      ],
    },
  ],
  ['tool_result', { toolCallId: 'u', status: 'failed', rawOutput: { stdout: hostile('raw') } }],
  ['session/update', { update: { sessionUpdate: 'plan', entries: [{ content: hostile('plan') }] } }],
  ['session/update', { update: { sessionUpdate: 'current_mode_update', currentModeId: hostile('mode') } }],
  ['_posthog/file_change', { path: hostile('file'), action: hostile('action') }],
  ['_posthog/user_message', { content: hostile('message') }],
  ['user_message_chunk', { text: hostile('echo') }],
  ['_posthog/error', { message: hostile('error') }],
  ['_posthog/console', { level: 'warn', message: hostile('warning') }],
  ['_posthog/console', { level: 'info', message: hostile('console') }],
  ['_posthog/mode_change', { mode: hostile('mode') }],
  ['_posthog/artifact', { name: hostile('artifact'), url: hostile('url') }],
  ['_posthog/sandbox_output', { stdout: hostile('stdout'), stderr: hostile('stderr') }],
  ['_posthog/pr_created', { prUrl: hostile('https://example.com/'), branch: hostile('branch') }],
  ['_posthog/phase_start', { phase: hostile('phase') }],
  ['_posthog/phase_complete', { phase: hostile('phase'), ok: false, error: hostile('why') }],
  ['_posthog/status', { status: 'failed', reason: hostile('reason') }],
  [
    '_posthog/turn_complete',
    { messageId: 1, stopReason: 'failed', error: { message: hostile('m'), raw: hostile('r') } },
  ],
  ['_posthog/turn_complete', { messageId: 2, stopReason: hostile('stop') }],
]
const events = messages.map(([method, params], nth) =>
  SeenEvent.parse({
    id: nth + 1,
    type: 'notification',
    timestamp: '2026-01-01T00:00:00.000Z',
    notification: { jsonrpc: '2.0', method, params },
    by: { kind: 'runner', generation: 1 },
  }),
)
const question = openQuestion({ question: hostile('question'), options: [hostile('one'), hostile('two')] })

describe('a terminal obeys nothing that others wrote', { timeout: 120_000 }, () => {
  it('in what commands print of runs, projects, agents and questions', async () => {
    const { project, at, access } = await hostileRun()
    const commands = [
      ['ls'],
      ['ls', '--json'],
      ['status'],
      ['status', at.run],
      ['status', at.run, '--json'],
      ['answer', at.run],
      ['rewind', at.run],
      ['secret', 'list', '--project', project.id],
    ]
    for (const words of commands) {
      const { out, notes } = await runHere([...words, ...access], atTerminal)
      expect(out + notes, words.join(' ')).not.toBe('')
      expect(obeyed(out + notes), words.join(' ')).toEqual([])
    }
    const { out } = await runHere(['ls', ...access], atTerminal)
    expect(out.trimEnd().split('\n')).toHaveLength(1)
  })

  it('in names and contents of files: diff, history and restore', async () => {
    const here = await hubHere()
    onTestFinished(here.stop)
    const run = await RunOfFiles.begin(here.hub)
    const name = hostile('file').replaceAll('/', '')
    await run.write(name, `${hostile('old')}\n`)
    await run.write(name, `${hostile('new')}\n`)
    const cwd = await temporaryFolder()
    const access = ['--hub', here.hub.url, '--token', here.hub.token, '--state', await temporaryFolder()]
    const commands = [
      ['diff', run.at.run],
      ['diff', run.at.run, '--stat'],
      ['diff', run.at.run, '--name-only'],
      ['history', name, '--run', run.at.run],
      ['restore', name, '2', '--show', '--run', run.at.run],
    ]
    for (const words of commands) {
      const { out, notes } = await runHere([...words, ...access], { ...atTerminal, cwd })
      expect(out, words.join(' ')).toContain('file')
      expect(obeyed(out + notes), words.join(' ')).toEqual([])
    }
  })

  it('in what the screen of a run shows line by line', () => {
    const context = testContext(atTerminal)
    const screen = textRunScreen(context, () => null)
    for (const event of events) screen.events([event])
    screen.question(question)
    for (const text of ['say', 'sayBetween'] as const) screen[text](hostile(text))
    screen.waits(hostile('waits'))
    screen.status(hostile('status'))
    for (let nth = 0; nth < 5; nth += 1) screen.expand()
    screen.close()
    const { out, notes } = context.ran()
    expect(out).toContain('words')
    expect(notes).toContain('question')
    expect(obeyed(out + notes)).toEqual([])
  })

  it('in what the screen of a run draws', () => {
    let written = ''
    const terminal = {
      size: { columns: 60, rows: 20 },
      write: (text: string) => {
        written += text
      },
      open: () => () => {},
      suspend() {},
    }
    const history = { read: () => [], add() {} } as never
    const screen = new LiveScreen({
      terminal,
      depth: 0,
      history,
      isFar: true,
      workspace: null,
      lookedAt: null,
    })
    const leave = new AbortController()
    void screen.typedHere(leave.signal).next()
    for (const event of events) screen.events([event])
    screen.question(question)
    screen.asks(question)
    for (const text of ['say', 'sayBetween', 'status', 'waits'] as const) screen[text](hostile(text))
    for (let nth = 0; nth < 5; nth += 1) screen.expand()
    leave.abort()
    screen.close()
    expect(written).toContain('words')
    // Its own signs move the cursor and wipe; nothing else may be there.
    const own = new RegExp(`${'\x1b'}\\[(?:\\d*[ABCGJKH]|\\?(?:7|25|2026)[lh]|0?m)|\\r`, 'g')
    expect(obeyed(written.replace(own, ''))).toEqual([])
    expect(written).not.toContain('\x1b[2J')
  })

  it('in what a hub answers when it refuses', async () => {
    const server = createServer((_, response) => {
      response.writeHead(403, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code: hostile('code'), message: hostile('message') } }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const started = farhand('ls', '--hub', url, '--token', 't', '--state', await temporaryFolder())
    expect(await started.exitCode).not.toBe(0)
    expect(started.errors()).not.toBe('')
    expect(obeyed(started.errors())).toEqual([])
  })
})
