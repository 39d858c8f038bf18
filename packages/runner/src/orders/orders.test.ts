import {
  hub,
  type Line,
  laptop,
  runner,
  sampleHash,
  sampleLog,
  secondRunner,
  web,
} from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { Orders } from './orders.ts'

function after(...lines: Line[]): Orders {
  const orders = new Orders()
  for (const event of sampleLog(...lines)) orders.take(event)
  return orders
}
const message = (content: string, more: object = {}): Line => [
  web,
  '_posthog/user_message',
  { content, ...more },
]
const edit = (messageId: number, content: string | null): Line => [
  web,
  '_posthog/message_edit',
  { messageId, content },
]
const ack = (id: number, by = runner): Line => [by, '_posthog/ack', { for: 'user_message', id }]
const done = (messageId: number): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason: 'end_turn' },
]
const tool = (toolCallId: string, status?: string, by = runner): Line => [
  by,
  'tool_call',
  { toolCallId, ...(status && { status }) },
]
const contents = (orders: Orders) => [...orders.messages.values()].map(({ content }) => content)

describe('messages', () => {
  it('are kept with all that was said, from when they come until their turn is over', () => {
    const attachments = [{ hash: sampleHash('a'), name: 'a.png' }]
    expect(after(message('one', { attachments, when: 'steer' })).messages.get(1)).toEqual({
      id: 1,
      content: 'one',
      attachments,
      when: 'steer',
    })
    expect(after(message('one')).messages.get(1)).toMatchObject({ attachments: [], when: 'queue' })
    expect(contents(after(message('one'), message('two'), ack(1)))).toEqual(['one', 'two'])
    const over = after(message('one'), message('two'), ack(1), done(1))
    expect(contents(over)).toEqual(['two'])
    expect([...over.acks]).toEqual([])
  })

  it('change with an edit until a runner has begun with them', () => {
    expect(contents(after(message('one'), edit(1, 'two')))).toEqual(['two'])
    expect(contents(after(message('one'), ack(1), edit(1, 'two')))).toEqual(['one'])
    expect(contents(after(message('one'), ack(1), edit(1, null)))).toEqual(['one'])
    expect(contents(after(edit(7, 'two')))).toEqual([])
  })

  it('keep their attachments and their place when they are edited', () => {
    const attachments = [{ hash: sampleHash('a'), name: 'a.png' }]
    const orders = after(message('one', { attachments }), message('two'), edit(1, 'ONE'))
    expect(contents(orders)).toEqual(['ONE', 'two'])
    expect(orders.messages.get(1)?.attachments).toEqual(attachments)
  })

  it('W29 that were withdrawn stay so: an ack that comes late opens nothing', () => {
    const orders = after(message('one'), edit(1, null), ack(1))
    expect([contents(orders), [...orders.acks], orders.isOpen(1)]).toEqual([[], [], false])
  })

  it('of which a later one is over first do not pile up once the first is', () => {
    const orders = after(message('one'), message('two', { when: 'steer' }), ack(2), done(2))
    expect([orders.isOpen(1), orders.isOpen(2)]).toEqual([true, false])
    expect(contents(after(message('one'), message('two'), ack(2), done(2), ack(1), done(1)))).toEqual([])
  })

  it('are known by the event in which they were last taken on', () => {
    expect(after(message('one'), ack(1), ack(1, secondRunner)).acks.get(1)).toBe(3)
  })
})

describe('an agent that takes the place of another', () => {
  it('has something to be told once a turn is over or was cut short, and not before', () => {
    expect(after(message('one'), ack(1)).hasWorked).toBe(false)
    expect(after(message('one'), ack(1), done(1)).hasWorked).toBe(true)
    expect(after(message('one'), ack(1), ack(1, secondRunner)).hasWorked).toBe(true)
  })

  it('is told the mode and the options that the user chose last', () => {
    const orders = after(
      [web, 'session/set_mode', { modeId: 'plan' }],
      [web, 'session/set_mode', { modeId: 'code' }],
      [web, 'session/set_config_option', { configId: 'model', value: 'small' }],
      [laptop, 'session/set_config_option', { configId: 'model', value: 'large' }],
    )
    expect([orders.modeId, [...orders.config]]).toEqual(['code', [['model', 'large']]])
  })

  it('is told the mode in which the last one was, also if that went there by itself', () => {
    const went = (currentModeId: string, more: object = {}): Line => [
      runner,
      'session/update',
      { update: { sessionUpdate: 'current_mode_update', currentModeId, ...more } },
    ]
    const chose = (modeId: string): Line => [web, 'session/set_mode', { modeId }]
    expect(after(chose('edits'), went('plan')).modeId).toBe('plan')
    expect(after(went('plan'), chose('edits')).modeId).toBe('edits')
    // That is the mode of a helper of its own.
    expect(after(chose('edits'), went('plan', { _meta: { 'farhand/sessionId': 'sub' } })).modeId).toBe(
      'edits',
    )
    const own = after(chose('edits'))
    own.takeOwn({ jsonrpc: '2.0', method: 'session/update', params: went('plan')[2] }, 1)
    expect(own.modeId).toBe('plan')
  })

  it('finds the newest session, and whose it was', () => {
    const start = (sessionId: string, by = runner): Line => [
      by,
      '_posthog/agent_start',
      { agent: 'a', sessionId, how: 'new' },
    ]
    expect(after(start('s1'), start('s2', secondRunner)).session).toMatchObject({
      sessionId: 's2',
      generation: 2,
    })
  })
})

describe('the memory of a session', () => {
  const start = (how: string, by = runner): Line => [
    by,
    '_posthog/agent_start',
    { agent: 'a', sessionId: 's', how },
  ]
  const end = (messageId: number, stopReason: string): Line => [
    runner,
    '_posthog/turn_complete',
    { messageId, stopReason },
  ]
  const memory = (...lines: Line[]) => after(...lines).memory

  it('that was told of the log is in doubt until its agent has ended a turn', () => {
    const told = [message('one'), ack(1), start('briefed')]
    expect(memory(...told)).toBe('doubtful')
    expect(memory(...told, end(1, 'end_turn'))).toBe('kept')
    expect(memory(...told, end(1, 'max_tokens'))).toBe('kept')
    for (const stopReason of ['interrupted', 'failed', 'cancelled', 'limit'])
      expect([stopReason, memory(...told, end(1, stopReason))]).toEqual([stopReason, 'doubtful'])
  })

  it('that was in doubt still is when the session is found again', () => {
    expect(memory(message('one'), ack(1), start('briefed'), start('resumed', secondRunner))).toBe('doubtful')
    const kept = [message('one'), ack(1), start('briefed'), end(1, 'end_turn')]
    expect(memory(...kept, start('loaded', secondRunner))).toBe('kept')
  })

  it('of a first turn is in doubt if only the runner ended that turn', () => {
    const first = [message('one'), ack(1), start('new')]
    expect(memory(...first)).toBe('empty')
    expect(memory(...first, end(1, 'cancelled'))).toBe('empty')
    expect(memory(...first, end(1, 'interrupted'))).toBe('doubtful')
    expect(memory(...first, end(1, 'end_turn'), message('two'), ack(5), end(5, 'interrupted'))).toBe('kept')
  })

  it('W17 begins when this very runner says that an agent is there', () => {
    const orders = after(message('one'), ack(1), done(1))
    const params = { agent: 'a', sessionId: 's', how: 'briefed' }
    orders.takeOwn({ jsonrpc: '2.0', method: '_posthog/agent_start', params }, 2)
    expect(orders.memory).toBe('doubtful')
  })
})

describe('tools', () => {
  it('are open from their first word to a final one, and belong to who began them', () => {
    expect([...after(tool('a'), tool('b', 'pending'), tool('c', 'completed')).openTools]).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    expect([...after(tool('a'), tool('a', 'failed')).openTools]).toEqual([])
    expect([...after(tool('a'), [runner, 'tool_result', { toolCallId: 'a' }]).openTools]).toEqual([])
    expect([...after(tool('a'), tool('a', 'in_progress', secondRunner)).openTools]).toEqual([['a', 2]])
  })

  it('that are never begun and only updated are open all the same', () => {
    const update = (more: object): Line => [
      runner,
      'session/update',
      { update: { sessionUpdate: 'tool_call_update', ...more } },
    ]
    const plan: Line = [runner, 'session/update', { update: { sessionUpdate: 'plan', toolCallId: 'p' } }]
    const orders = after(update({ toolCallId: 'a', status: 'in_progress' }), update({ toolCallId: 7 }), plan)
    expect([...orders.openTools]).toEqual([['a', 1]])
    const params = { update: { sessionUpdate: 'tool_call_update', toolCallId: 'b', title: 'B' } }
    orders.takeOwn({ jsonrpc: '2.0', method: 'session/update', params }, 2)
    expect([...orders.openTools.keys()]).toEqual(['a', 'b'])
  })

  it('that never end take no more room than ten thousand do', () => {
    const orders = new Orders()
    for (let n = 0; n < 10_010; n++)
      orders.takeOwn({ jsonrpc: '2.0', method: 'tool_call', params: { toolCallId: `t${n}` } }, 1)
    expect([orders.openTools.size, orders.openTools.has('t9'), orders.openTools.has('t10009')]).toEqual([
      10_000,
      false,
      true,
    ])
  })

  it('W17 of this very runner are known without being read back', () => {
    const orders = new Orders()
    const say = (method: string, params: Record<string, unknown>) =>
      orders.takeOwn({ jsonrpc: '2.0', method, params }, 3)
    say('tool_call', { toolCallId: 'a' })
    say('tool_call', { toolCallId: 'b' })
    say('tool_call', { toolCallId: 7 })
    say('tool_result', { toolCallId: 'b', status: 'completed' })
    say('_posthog/ack', { for: 'user_message', id: 1 })
    expect([...orders.openTools]).toEqual([['a', 3]])
  })
})

describe('commands of users', () => {
  const shell = (id: string, command = 'ls'): Line => [web, '_posthog/shell', { id, command }]
  const output = (id: string, more: object = {}): Line => [
    runner,
    '_posthog/sandbox_output',
    { id, stdout: 'x', ...more },
  ]

  it('are open until their exit, and known by who began with them', () => {
    expect([...after(shell('a')).openShells]).toEqual([['a', { command: 'ls', begunBy: null }]])
    expect([...after(shell('a'), output('a')).openShells]).toEqual([['a', { command: 'ls', begunBy: 1 }]])
    expect([...after(shell('a'), output('a', { exitCode: 0 })).openShells]).toEqual([])
    expect([...after(shell('a'), output('a', { exitCode: null })).openShells]).toEqual([])
    const stop: Line = [web, '_posthog/shell_stop', { id: 'a' }]
    expect([...after(shell('a'), stop).stoppedShells]).toEqual(['a'])
    expect([...after(shell('a'), stop, output('a', { exitCode: null })).stoppedShells]).toEqual([])
  })

  it('with an id that is in use are not begun a second time', () => {
    expect([...after(shell('a'), output('a'), shell('a', 'rm -rf x')).openShells]).toEqual([
      ['a', { command: 'ls', begunBy: 1 }],
    ])
  })
})

describe('orders', () => {
  it('have the newest cancel', () => {
    const cancel: Line = [web, '_posthog/cancel', {}]
    expect(after(cancel, cancel).cancelledAt).toBe(2)
  })

  it('W27 ignore unknown methods, even names that every object has', () => {
    const names = ['__proto__', '__defineGetter__', '__lookupSetter__', '_x'] as const
    const orders = after(...names.map((name): Line => [web, name, {}]), [
      hub,
      '_posthog/status',
      { status: 'active' },
    ])
    expect([orders.lastEventId, orders.view.status]).toEqual([5, 'active'])
  })
})

describe('requests for files', () => {
  const request = (path: string): Line => [web, '_posthog/file_request', { path }]
  const shown = (path: string): Line => [runner, '_posthog/file_content', { path, missing: true }]
  const open = (...lines: Line[]) => [...after(...lines).openFileRequests]

  it('are open until that very file is shown after them', () => {
    expect(open(request('a'), request('b'), shown('a'))).toEqual(['b'])
    expect(open(request('a'), shown('a'), request('a'))).toEqual(['a'])
    expect(open(shown('a'))).toEqual([])
  })
})

describe('time travel', () => {
  const agent: Line = [runner, '_posthog/agent_start', { agent: 'mine', sessionId: 's1', how: 'new' }]
  const start: Line = [hub, '_posthog/session_start', { generation: 1 }]
  const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]
  const forked: Line = [hub, '_posthog/forked', { run: 'run_theother', event: 5 }]

  it('W39 has an agent that is told what was said in a turn that the fork cut short', () => {
    expect(after(message('one'), ack(1), forked)).toMatchObject({ hasWorked: true, memory: 'doubtful' })
    expect(after(message('one'), forked).hasWorked).toBe(false)
  })

  it('W39 after a rewind the session of the agent is not gone on with, and open turns are cancelled', () => {
    const orders = after(start, agent, message('one'), ack(3), message('two'), rewind(2))
    expect(orders).toMatchObject({ session: null, rewoundAt: 6, cancelledAt: 6 })
    expect(contents(orders), 'what waits stays').toEqual(['one', 'two'])
    expect(after(start, agent, message('one'), ack(3), done(3), rewind(2)).memory).toBe('doubtful')
    expect(after(start, agent, rewind(3)), 'to itself').toMatchObject({
      rewoundAt: 0,
      session: { sessionId: 's1' },
    })
  })

  it('W39 a fork begins idle: nothing of the other run is continued, begun or answered', () => {
    const shell: Line = [web, '_posthog/shell', { id: 'sh1', command: 'ls' }]
    const request: Line = [web, '_posthog/file_request', { path: 'a.txt' }]
    const lines = [start, agent, message('one'), ack(3), tool('t1'), message('two'), shell, request]
    const orders = after(...lines, forked)
    expect(contents(orders)).toEqual([])
    expect([...orders.acks, ...orders.openShells, ...orders.openFileRequests]).toEqual([])
    expect(orders.session).toBeNull()
    expect([...orders.openTools.keys()], 'gets an end').toEqual(['t1'])
  })

  it('W39 a command that had begun in the other run gets an end, and is not run again', () => {
    const shell: Line = [web, '_posthog/shell', { id: 'sh1', command: 'ls' }]
    const output: Line = [runner, '_posthog/sandbox_output', { id: 'sh1', stdout: '' }]
    const { openShells } = after(start, shell, output, forked)
    expect([...openShells.values()]).toEqual([{ command: 'ls', begunBy: 1 }])
  })
})
