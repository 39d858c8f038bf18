import {
  hub,
  type Line,
  laptop,
  runner,
  sampleHash,
  sampleLog,
  web,
} from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { StoryFold } from './story-fold.ts'
import { itemsOf, outline, told } from './story-under-test.ts'

const start = (generation = 1): Line => [hub, '_posthog/session_start', { generation }]
const asked = (more: object = {}): Line => [
  runner,
  '_posthog/agent_question',
  { questionId: 'qst_question1', question: 'May I?', kind: 'permission', ...more },
]
const answered = (answer: unknown): Line => [
  web,
  '_posthog/user_response',
  { questionId: 'qst_question1', answer },
]
const closed = (more: object): Line => [
  runner,
  '_posthog/question_closed',
  { questionId: 'qst_question1', ...more },
]

describe('questions', () => {
  it('about a tool stand in its card, and go through their states there', () => {
    const lines: Line[] = [start(), [runner, 'tool_call', { toolCallId: 'c' }], asked({ toolCallId: 'c' })]
    const stateAfter = (...more: Line[]) => itemsOf(told(...lines, ...more), 'tool')[0]?.question?.state
    expect(outline(told(...lines))).toEqual(['tool c: pending'])
    expect(stateAfter()).toBe('open')
    expect(stateAfter(answered('yes'))).toBe('given')
    expect(stateAfter(answered('yes'), closed({ how: 'answered' }))).toBe('answered')
    expect(stateAfter([runner, 'tool_result', { toolCallId: 'c', status: 'completed' }])).toBe('open')
  })

  it('keep the first answer and its author, also when another answer follows', () => {
    const [question] = itemsOf(
      told(
        start(),
        asked(),
        [laptop, '_posthog/user_response', { questionId: 'qst_question1', answer: 'first' }],
        answered('second'),
        closed({ how: 'answered' }),
      ),
      'question',
    )
    expect(question).toMatchObject({ state: 'answered', answer: 'first', answeredBy: laptop })
  })

  it('decided without a person say by what, and why (W36)', () => {
    const decided = closed({
      how: 'answered',
      answer: 'allow',
      by: 'policy:allow-edits',
      why: 'It is inside.',
    })
    expect(itemsOf(told(start(), asked(), decided), 'question')).toMatchObject([
      { state: 'answered', answer: 'allow', answeredBy: 'policy:allow-edits', why: 'It is inside.' },
    ])
  })

  it('of an agent that died cannot be answered any more, and then are superseded (W30)', () => {
    const dead: Line[] = [start(), asked(), start(2)]
    expect(itemsOf(told(...dead), 'question')).toMatchObject([{ state: 'gone' }])
    expect(itemsOf(told(...dead, answered('late')), 'question')).toMatchObject([
      { state: 'gone', answer: null },
    ])
    const superseded: Line = [
      hub,
      '_posthog/question_closed',
      { questionId: 'qst_question1', how: 'superseded' },
    ]
    expect(itemsOf(told(...dead, superseded), 'question')).toMatchObject([{ state: 'superseded' }])
  })
})

describe('commands of people', () => {
  it('show what they print as it comes, and end once', () => {
    const output = (more: object): Line => [runner, '_posthog/sandbox_output', { id: 's', ...more }]
    const [shell] = itemsOf(
      told(
        [web, '_posthog/shell', { command: 'make', id: 's' }],
        output({ stdout: 'a' }),
        output({ stdout: 'b', stderr: '!' }),
        output({ exitCode: 2 }),
        output({ stdout: 'later', exitCode: 0 }),
        [runner, '_posthog/sandbox_output', { id: 'another', stdout: 'x' }],
      ),
      'shell',
    )
    expect(shell).toMatchObject({ exitCode: 2, isOver: true, by: web })
    expect(shell?.output).toEqual([
      { text: 'ab', cuts: [], isError: false },
      { text: '!', cuts: [], isError: true },
      { text: 'later', cuts: [], isError: false },
    ])
  })
})

describe('files', () => {
  const file = (path: string, action: string) => ({
    path,
    action,
    ...(action !== 'deleted' && { hash: sampleHash('a') }),
  })

  it('are listed as they were told so far, also when a hundred thousand come one by one', () => {
    const events = sampleLog(
      ...Array.from(
        { length: 100_000 },
        (_, nth): Line => [runner, '_posthog/file_change', file(`${nth}`, 'deleted')],
      ),
    )
    const fold = new StoryFold()
    for (const event of events.slice(0, 2)) fold.take(event)
    const [first] = itemsOf(fold.story, 'files')
    for (const event of events.slice(2)) fold.take(event)
    const [all] = itemsOf(fold.story, 'files')
    expect([first?.files.length, all?.files.length]).toEqual([2, 100_000])
  })

  it('that one side changes without a pause are one item, with what became of each', () => {
    const after = told(
      [runner, '_posthog/file_change', file('new.txt', 'created')],
      [runner, '_posthog/file_change', { files: [file('new.txt', 'modified'), file('old.txt', 'deleted')] }],
      [laptop, '_posthog/file_sync', file('mine.txt', 'modified')],
    )
    expect(itemsOf(after, 'files').map(({ files }) => files)).toEqual([
      [
        { path: 'new.txt', action: 'created' },
        { path: 'old.txt', action: 'deleted' },
      ],
      [{ path: 'mine.txt', action: 'modified' }],
    ])
  })
})

describe('what happens to a run', () => {
  it('is told where people would ask about it, and not where machinery talks to itself', () => {
    const after = told(
      [hub, '_posthog/status', { status: 'provisioning' }],
      [hub, '_posthog/status', { status: 'queued', reason: 'no room' }],
      [hub, '_posthog/rest_request', {}],
      [runner, '_posthog/phase_start', { phase: 'checkpointing' }],
      [runner, '_posthog/phase_complete', { phase: 'checkpointing', ok: true }],
      [runner, '_posthog/console', { level: 'info', message: 'chatter' }],
      [runner, '_posthog/console', { level: 'constructor', message: 'of no level' }],
      [runner, '_posthog/console', { level: 'warn', message: 'look out' }],
      [hub, '_posthog/error', { message: 'it broke' }],
      [runner, '_posthog/pr_created', { prUrl: 'https://example.org/1', opened: false }],
      [runner, '_posthog/session_restored', { fromCheckpoint: null, files: 3, ms: 12 }],
      [hub, '_posthog/moved', { sandbox: 'none' }],
      [hub, '_posthog/moved', { sandbox: 'none' }],
      [web, '_posthog/pause'],
      [web, '_posthog/mode_change', { mode: 'background' }],
    )
    expect(outline(after)).toEqual([
      'mark: status',
      'tool report 6: completed',
      'warn: look out',
      'error: it broke',
      'mark: pull-request',
      'mark: restored',
      'mark: moved',
      'mark: status',
      'mark: mode',
    ])
  })

  it('tells of a phase once, first that it runs and then how it ended', () => {
    const failed: Line = [hub, '_posthog/phase_complete', { phase: 'setup', ok: false, error: 'exit 1' }]
    const after = told([hub, '_posthog/phase_start', { phase: 'setup' }], failed)
    expect(itemsOf(after, 'mark')).toMatchObject([
      { id: 1, mark: { is: 'phase', state: 'failed', error: 'exit 1' } },
    ])
  })

  it('says that a provider has a rate limit once for all the tries that it lets fail, and until when', () => {
    const limit = (until: string): Line => [
      runner,
      '_posthog/console',
      { level: 'warn', message: `limit until ${until}`, about: 'rate-limit', until },
    ]
    const [one, two, three] = ['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z', '2026-01-01T00:03:00Z']
    const checkpoint: Line = [
      runner,
      '_posthog/git_commit',
      { kind: 'checkpoint', sha: 'a'.repeat(40), number: 1 },
    ]
    const notices = (...lines: Line[]) =>
      itemsOf(told([web, '_posthog/user_message', { content: 'go' }], ...lines), 'notice')
    const chunk: Line = [runner, 'agent_message_chunk', { text: 'on' }]
    expect(notices(limit(one!), limit(two!), checkpoint, limit(three!))).toMatchObject([
      { id: 2, until: three },
    ])
    // Once it has gone on, the next one is another.
    expect(notices(limit(one!), chunk, limit(two!))).toMatchObject([{ until: one }, { until: two }])
    // What else is warned of is not one of them.
    const warning: Line = [runner, '_posthog/console', { level: 'warn', message: 'Slow.' }]
    expect(notices(limit(one!), warning, limit(two!))).toMatchObject([{ until: two }, { text: 'Slow.' }])
  })

  it('says that it moved when another place follows the first', () => {
    const here = (generation: number): Line => [
      hub,
      '_posthog/session_start',
      { generation, sandbox: 'none' },
    ]
    expect(outline(told(here(1)))).toEqual([])
    expect(outline(told(start(), here(2)))).toEqual(['mark: moved'])
  })

  it('tells of a device once, however often it comes back', () => {
    const came: Line = [laptop, '_posthog/device_start', { name: 'desk' }]
    expect(outline(told(came, came, came))).toEqual(['mark: device'])
  })
})

describe('what an agent offers', () => {
  const began = (more: object = {}): Line => [
    runner,
    '_posthog/agent_start',
    { agent: 'rehearsal', sessionId: 's', how: 'new', ...more },
  ]
  const update = (said: object): Line => [runner, 'session/update', { update: said }]
  const speed = {
    id: 'speed',
    name: 'Speed',
    type: 'select',
    currentValue: 'real',
    options: [{ group: 'g', name: 'G', options: [{ value: 'real', name: 'Real' }] }],
  }

  it('are commands, modes and options, as it last said', () => {
    const { agent } = told(
      began({
        said: { _meta: { steering: { supported: true } } },
        modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }, { name: 'no id' }] },
        configOptions: [speed, { id: 'odd' }],
      }),
      update({
        sessionUpdate: 'available_commands_update',
        availableCommands: [{ name: '/plan', description: 'Plans', input: { hint: 'what' } }],
      }),
      update({ sessionUpdate: 'current_mode_update', currentModeId: 'code' }),
      [web, 'session/set_config_option', { configId: 'speed', value: 'instant' }],
    )
    expect(agent).toEqual({
      name: 'rehearsal',
      commands: [{ name: 'plan', description: 'Plans', hint: 'what' }],
      modes: [{ id: 'ask', name: 'Ask', description: null }],
      mode: 'code',
      options: [
        {
          id: 'speed',
          name: 'Speed',
          value: 'instant',
          choices: [{ id: 'real', name: 'Real', description: null }],
        },
      ],
      hearsSteering: true,
    })
  })

  it('has a mode of its own: a change of it is told by its name, and apart from the mode of the run', () => {
    const modes = {
      currentModeId: 'ask',
      availableModes: [{ id: 'ask' }, { id: 'plan', name: 'Plan first' }],
    }
    const story = told(began({ modes }), [web, 'session/set_mode', { modeId: 'plan' }])
    expect(itemsOf(story, 'mark').at(-1)?.mark).toMatchObject({ is: 'mode', of: 'agent', mode: 'Plan first' })
  })

  it('costs what its sessions have cost, each counted from its own beginning', () => {
    const cost = (amount: number): Line =>
      update({ sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount, currency: 'USD' } })
    const { usage } = told(began(), cost(0.1), cost(0.3), began({ sessionId: 's2' }), cost(0.25))
    expect(usage.costUsd).toBeCloseTo(0.55)
    expect(usage.context).toEqual({ used: 10, size: 100 })
  })
})
