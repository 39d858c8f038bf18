import { describe, expect, it } from 'vitest'
import { AgentRefused } from './agent.ts'
import { play, playInSession, words } from './agent-under-test.ts'

describe('agents that deviate from ACP', () => {
  it('may greet people on standard output and write no JSON in between', async () => {
    const { agent, heard } = await playInSession({
      begin: ({ write }) => write('\u001b[32mWelcome!\u001b[0m\n(node:1) Warning: this is experimental\n'),
      'session/prompt': ({ write, say }) => {
        write('debug: thinking\n')
        say('done')
        return { stopReason: 'end_turn' }
      },
    })
    await agent.prompt(words('go'))
    expect(heard.texts).toEqual(['done'])
    expect(heard.unknown).toEqual([
      '\u001b[32mWelcome!\u001b[0m',
      '(node:1) Warning: this is experimental',
      'debug: thinking',
    ])
  })

  it('may write a frame byte by byte', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ write, process }) => {
        const content = { type: 'text', text: 'naïve 漢字 🙂' }
        const update = { sessionUpdate: 'agent_message_chunk', content }
        const frame = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'own', update } }
        for (const byte of new TextEncoder().encode(`${JSON.stringify(frame)}\n`)) {
          write(Uint8Array.of(byte))
          await new Promise((resolve) => process.nextTick(resolve))
        }
        return { stopReason: 'end_turn' }
      },
    })
    await agent.prompt(words('go'))
    expect(heard.texts).toEqual(['naïve 漢字 🙂'])
  })

  it('W26 may use unknown kinds and fields of updates, or update a tool that never began', async () => {
    const updates = [
      { sessionUpdate: 'vendor_dream', about: { sheep: ['electric'] } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'never-begun', status: 'completed', vendorField: 1 },
      { sessionUpdate: 'plan', entries: [], _meta: { vendor: true } },
    ]
    const { agent, heard } = await playInSession({
      'session/prompt': ({ update }, { prompt }: { prompt: [{ text: string }] }) => {
        for (const each of JSON.parse(prompt[0].text) as object[]) update(each)
        return { stopReason: 'end_turn' }
      },
    })
    await agent.prompt(words(JSON.stringify(updates)))
    expect(heard.updates).toEqual(updates)
  })

  it('get -32601 for methods of their own and for those that were not offered, and go on', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ ask, notify, update }) => {
        notify('_vendor/telemetry', { a: 1 })
        for (const method of ['_vendor/open_browser', 'fs/read_text_file', 'terminal/create'])
          update({ sessionUpdate: 'answered', answer: await ask(method, {}) })
        return { stopReason: 'end_turn' }
      },
    })
    expect(await agent.prompt(words('go'))).toEqual({ stopReason: 'end_turn' })
    const refused = expect.objectContaining({ error: expect.objectContaining({ code: -32601 }) })
    expect(heard.updates.map(({ answer }) => answer)).toEqual([refused, refused, refused])
    expect(heard.unknown.map((line) => (JSON.parse(line) as { method: string }).method)).toEqual([
      '_vendor/telemetry',
      '_vendor/open_browser',
      'fs/read_text_file',
      'terminal/create',
    ])
  })

  it('may send a malformed update: it is kept for developers who look for a fault', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ notify }) => {
        notify('session/update', { sessionId: 'own', update: { kind: 'none' } })
        notify('session/update', [1])
        return { stopReason: 'end_turn' }
      },
    })
    await agent.prompt(words('go'))
    expect(heard.updates).toEqual([])
    expect(heard.unknown).toHaveLength(2)
  })

  it('may begin sessions of their own: updates of those are passed on with the id of the session', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ update }) => {
        update({ sessionUpdate: 'tool_call', toolCallId: 'mine' }, 'own')
        update({ sessionUpdate: 'tool_call', toolCallId: 'theirs', _meta: { vendor: 1 } }, 'helper')
        return { stopReason: 'end_turn' }
      },
    })
    await agent.prompt(words('go'))
    expect(heard.updates).toEqual([
      { sessionUpdate: 'tool_call', toolCallId: 'mine' },
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'theirs',
        _meta: { vendor: 1, 'farhand/sessionId': 'helper' },
      },
    ])
  })

  it('may update a session before they have said its name, and have one before it', async () => {
    const { agent, heard } = await play({
      'session/new': ({ update }) => {
        const world = globalThis as { sessions?: number }
        world.sessions = (world.sessions ?? 0) + 1
        update({ sessionUpdate: 'available_commands_update', availableCommands: [] }, `s${world.sessions}`)
        return { sessionId: `s${world.sessions}` }
      },
    })
    await agent.newSession()
    expect(await agent.newSession()).toMatchObject({ sessionId: 's2' })
    const update = { sessionUpdate: 'available_commands_update', availableCommands: [] }
    expect(heard.updates).toEqual([update, update])
  })

  it.each([
    ['-32603', { code: -32603, message: 'Internal error', data: { details: 'model not found' } }],
    ['a code of HTTP', { code: 400, message: 'credit balance is too low' }],
  ])('may report an error of their model as %s, and take the next prompt', async (_, error) => {
    const { agent } = await playInSession({
      'session/prompt': (_hands, { prompt }: { prompt: [{ text: string }] }) => {
        if (prompt[0].text !== 'again') throw JSON.parse(prompt[0].text)
        return { stopReason: 'end_turn' }
      },
    })
    const refusal = await agent.prompt(words(JSON.stringify(error))).catch((reason: unknown) => reason)
    expect(refusal).toBeInstanceOf(AgentRefused)
    expect(refusal).toMatchObject(error)
    expect(await agent.prompt(words('again'))).toEqual({ stopReason: 'end_turn' })
  })

  it('may hide an error of their model behind a turn that just ends: then the turn has no text', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ say }) => {
        say('')
        return { stopReason: 'end_turn', usage: { totalTokens: 0 } }
      },
    })
    expect(await agent.prompt(words('go'))).toEqual({ stopReason: 'end_turn', usage: { totalTokens: 0 } })
    expect(heard.texts).toEqual([''])
  })

  it('may end a turn without a reason, or with a malformed one', async () => {
    const { agent } = await playInSession({ 'session/prompt': () => null })
    expect(await agent.prompt(words('go'))).toEqual({ stopReason: 'end_turn' })
    for (const act of [() => ({ stopReason: null }), () => ({ stopReason: 7 }), () => ({ stopReason: '' })]) {
      const { agent } = await playInSession({ 'session/prompt': act })
      expect(await agent.prompt(words('go'))).toEqual({ stopReason: 'end_turn' })
    }
  })
})
