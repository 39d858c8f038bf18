import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startAgent } from './acp-agent.ts'
import { AgentGone, AgentIgnoredCancel, type AgentUpdate } from './agent.ts'
import { Heard, isRunning, play, playInSession, type Script, scripted, words } from './agent-under-test.ts'

/** From here on time goes by only when the test says so: an agent on a slow machine is not late. */
function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('an agent over ACP', () => {
  it('is initialized with version 1, and offered questions but neither files nor terminals', async () => {
    const { heard } = await play({
      initialize: ({ update }, params) => {
        update({ sessionUpdate: 'greeted', params })
        return { protocolVersion: 1 }
      },
    })
    expect(heard.updates[0]?.params).toEqual({
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {}, url: {} },
      },
      clientInfo: { name: 'farhand', title: 'Farhand', version: '0.1.0' },
    })
  })

  it('begins a session in its folder, and says in which modes and options it is', async () => {
    const { agent } = await play({
      'session/new': (_, { cwd, mcpServers }: { cwd: string; mcpServers: unknown }) => ({
        sessionId: `${cwd}:${JSON.stringify(mcpServers)}`,
        modes: { currentModeId: 'ask', availableModes: [] },
        configOptions: [{ id: 'model' }],
      }),
    })
    const session = await agent.newSession()
    expect(session.sessionId).toMatch(/^\/.*:\[\]$/)
    expect(session.modes?.currentModeId).toBe('ask')
    expect(session.configOptions).toEqual([{ id: 'model' }])
  })

  it('gets the MCP servers that it can reach, no matter how its session is opened', async () => {
    const heard = new Heard()
    const mcpServers = [
      { name: 'program', command: 'p', args: [], env: [] },
      { type: 'http' as const, name: 'web', url: 'https://a.example', headers: [] },
      { type: 'sse' as const, name: 'old', url: 'https://b.example', headers: [] },
    ]
    const script: Script = {
      initialize: () => ({
        protocolVersion: 1,
        agentCapabilities: {
          loadSession: true,
          sessionCapabilities: { resume: {} },
          mcpCapabilities: { http: true },
        },
      }),
    }
    const tell: Script[string] = ({ notify }, { mcpServers }: { mcpServers: unknown }) => {
      notify('given', { mcpServers })
      return { sessionId: 'own' }
    }
    for (const method of ['session/new', 'session/load', 'session/resume']) script[method] = tell
    const agent = await startAgent({ ...scripted(script), mcpServers }, heard.handlers)
    await agent.newSession()
    await agent.loadSession('own')
    await agent.resumeSession('own')
    await agent.stop()
    const given = heard.unknown.map((frame) => JSON.parse(frame).params.mcpServers)
    expect(given).toEqual(Array(3).fill(mcpServers.slice(0, 2)))
  })

  it('cannot begin a session without an id', async () => {
    const { agent } = await play({ 'session/new': () => ({}) })
    await expect(agent.newSession()).rejects.toThrow('began a session and did not name it')
  })

  it('has passed on every update of a turn when the turn ends, and none of what comes after it', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ say, write }) => {
        for (let n = 0; n < 1000; n++) say(String(n))
        const answer = { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } }
        const update = { sessionUpdate: 'usage_update', used: 1 }
        const after = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'own', update } }
        write(`${JSON.stringify(answer)}\n${JSON.stringify(after)}\n`)
      },
    })
    const { stopReason } = await agent.prompt(words('count'))
    expect(stopReason).toBe('end_turn')
    expect(heard.texts).toEqual(Array.from({ length: 1000 }, (_, n) => String(n)))
    expect(heard.updates).toHaveLength(1000)
    await heard.until(() => heard.updates.length === 1001)
  })

  it('gets a second prompt only when the first is over', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ say, heard: hear, process }, { prompt }: { prompt: [{ text: string }] }) => {
        const [{ text }] = prompt
        say(`begins ${text}`)
        if (text === 'one') await hear('session/cancel')
        await new Promise((resolve) => process.nextTick(resolve))
        say(`ends ${text}`)
        return { stopReason: text === 'one' ? 'cancelled' : 'end_turn' }
      },
    })
    const turns = [agent.prompt(words('one')), agent.prompt(words('two'))]
    await heard.until(() => heard.texts.includes('begins one'))
    agent.cancel()
    expect(await Promise.all(turns)).toEqual([{ stopReason: 'cancelled' }, { stopReason: 'end_turn' }])
    expect(heard.texts).toEqual(['begins one', 'ends one', 'begins two', 'ends two'])
  })

  it('may work for hours without a word: its turn is not ended for that', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ say, process }) => {
        say('building')
        await new Promise<void>((resolve) => process.once('SIGUSR2', () => resolve()))
        return { stopReason: 'end_turn' }
      },
      'session/set_mode': ({ process }) => {
        process.emit('SIGUSR2')
        return {}
      },
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const ends: unknown[] = []
    const turn = agent.prompt(words('go')).then(
      (end) => ends.push(end),
      (error) => ends.push(error),
    )
    await heard.until(() => heard.texts.length > 0)
    await vi.advanceTimersByTimeAsync(3 * 3600_000)
    expect(ends).toEqual([])
    await agent.setMode('done')
    await turn
    expect(ends).toEqual([{ stopReason: 'end_turn' }])
  })

  it('gets a cancel that comes right after the prompt', async () => {
    const { agent } = await playInSession({
      'session/prompt': async ({ heard: hear }) => {
        await hear('session/cancel')
        return { stopReason: 'cancelled' }
      },
    })
    const turn = agent.prompt(words('go'))
    agent.cancel()
    expect(await turn).toEqual({ stopReason: 'cancelled' })
  })

  it('is not told to cancel when it does nothing: it would take that for the next turn', async () => {
    const { agent, heard } = await playInSession({
      begin: ({ heard: hear, say }) => void hear('session/cancel').then(() => say('cancelled')),
    })
    agent.cancel()
    await agent.prompt(words('go'))
    expect(heard.texts).toEqual([])
  })

  it('rejects the turn of one that was cancelled and goes on, and gives it the next only when it is done', async () => {
    const { agent, heard } = await playInSession(
      {
        'session/prompt': async ({ say, heard: hear }, { prompt }: { prompt: [{ text: string }] }) => {
          say(prompt[0].text)
          if (prompt[0].text !== 'one') return { stopReason: 'end_turn' }
          await hear('session/cancel')
          await hear('session/set_mode_now')
          return { stopReason: 'end_turn' }
        },
        'session/set_mode': ({ say }) => {
          say('still at it')
          return {}
        },
      },
      { cancelPatienceMs: 1 },
    )
    const first = agent.prompt(words('one'))
    const second = agent.prompt(words('two'))
    agent.cancel()
    await expect(first).rejects.toBeInstanceOf(AgentIgnoredCancel)
    await agent.setMode('any')
    expect(heard.texts).toEqual(['one', 'still at it'])
    const gone = expect(second).rejects.toBeInstanceOf(AgentGone)
    await agent.stop()
    await gone
  })

  it('gets modes and options, a yes or no as a boolean', async () => {
    const { agent, heard } = await playInSession({
      'session/set_mode': ({ update }, params) => {
        update({ sessionUpdate: 'mode', params })
        return null
      },
      'session/set_config_option': (_, params: object) => ({ configOptions: [params] }),
    })
    await agent.setMode('plan')
    expect(heard.updates[0]?.params).toEqual({ sessionId: 'own', modeId: 'plan' })
    expect(await agent.setConfigOption('model', 'best')).toEqual([
      { sessionId: 'own', configId: 'model', value: 'best' },
    ])
    expect(await agent.setConfigOption('fast', true)).toEqual([
      { sessionId: 'own', configId: 'fast', value: true, type: 'boolean' },
    ])
  })

  it('waits in its pipe while its output is paused, and nothing is lost', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ say }) => {
        for (let n = 0; n < 20_000; n++) say(`${n} ${'x'.repeat(50)}`)
        return { stopReason: 'end_turn' }
      },
    })
    const turn = agent.prompt(words('count'))
    await heard.until(() => heard.updates.length >= 10)
    agent.pauseReading()
    const atHold = heard.updates.length
    // It answers nothing while it is held, and another agent shows that time goes by.
    const other = await playInSession({})
    await other.agent.prompt(words('go'))
    expect(heard.updates.length).toBe(atHold)
    expect(atHold).toBeLessThan(20_000)
    agent.resumeReading()
    await turn
    expect(heard.texts.map((text) => Number.parseInt(text, 10))).toEqual(
      Array.from({ length: 20_000 }, (_, n) => n),
    )
  })
})

describe('an earlier session', () => {
  it('W26 is loaded without its past being passed on again, but what comes after that is', async () => {
    const { agent, heard } = await play({
      'session/load': ({ say, update, write }) => {
        say('long ago')
        update({ sessionUpdate: 'tool_call', toolCallId: 't1' })
        update({ sessionUpdate: 'available_commands_update', availableCommands: [] })
        const answer = {
          jsonrpc: '2.0',
          id: 2,
          result: { modes: { currentModeId: 'm', availableModes: [] } },
        }
        const update2 = { sessionUpdate: 'usage_update', used: 1 }
        const after = {
          jsonrpc: '2.0',
          method: 'session/update',
          params: { sessionId: 'old', update: update2 },
        }
        // In one breath, so that both are read at once.
        write(`${JSON.stringify(answer)}\n${JSON.stringify(after)}\n`)
      },
    })
    const session = await agent.loadSession('old')
    expect(session).toMatchObject({ sessionId: 'old', modes: { currentModeId: 'm' } })
    await heard.until(() => heard.updates.length === 2)
    expect(heard.updates).toEqual([
      { sessionUpdate: 'available_commands_update', availableCommands: [] },
      { sessionUpdate: 'usage_update', used: 1 },
    ])
  })

  it('W26 is loaded without its past also if the agent replays that after its answer', async () => {
    const { agent, heard } = await play(
      {
        'session/load': ({ say, send, update }) => {
          send({ id: 2, result: {} })
          const past = Array.from({ length: 50 }, (_, n) => `long ago ${n}`)
          const next = () => {
            const text = past.shift()
            if (text === undefined)
              update({ sessionUpdate: 'available_commands_update', availableCommands: [] })
            else {
              say(text)
              setImmediate(next)
            }
          }
          setImmediate(next)
        },
        'session/prompt': ({ say }) => {
          say('now')
          return { stopReason: 'end_turn' }
        },
      },
      { quietMs: 2000 },
    )
    await agent.loadSession('own')
    await agent.prompt([{ type: 'text', text: 'go on' }])
    expect(heard.texts).toEqual(['now'])
    expect(heard.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      'available_commands_update',
      'agent_message_chunk',
    ])
  })

  it('is resumed, and what comes meanwhile is passed on', async () => {
    const { agent, heard } = await play({
      'session/resume': ({ update }, { sessionId }: { sessionId: string }) => {
        update({ sessionUpdate: 'current_mode_update', currentModeId: 'm' }, sessionId)
        return {}
      },
    })
    expect(await agent.resumeSession('old')).toEqual({ sessionId: 'old', modes: null, configOptions: null })
    expect(heard.updates).toEqual([{ sessionUpdate: 'current_mode_update', currentModeId: 'm' }])
  })

  it('is not requested from an agent that does not offer to load it', async () => {
    const { agent } = await play({
      initialize: () => ({ protocolVersion: 1 }),
      'session/load': ({ process }) => process.exit(1),
      'session/resume': ({ process }) => process.exit(1),
    })
    await expect(agent.loadSession('old')).rejects.toMatchObject({ code: -32601 })
    await expect(agent.resumeSession('old')).rejects.toMatchObject({ code: -32601 })
    await agent.newSession()
  })

  it('may be refused as already loaded, or without a reason, and the agent goes on in the one it has', async () => {
    const { agent, heard } = await playInSession({
      'session/load': ({ say }, { sessionId }: { sessionId: string }) => {
        say('half of the past')
        if (sessionId === 'own') throw { code: -32602, message: 'Session own is already loaded' }
        throw { code: -32603, message: 'Internal error' }
      },
      'session/prompt': ({ say }, { sessionId }: { sessionId: string }) => {
        say(sessionId)
        return { stopReason: 'end_turn' }
      },
    })
    await expect(agent.loadSession('own')).rejects.toThrow('Session own is already loaded')
    await expect(agent.loadSession('other')).rejects.toMatchObject({ code: -32603 })
    await agent.prompt(words('go'))
    expect(heard.texts).toEqual(['own'])
  })
})

describe('an agent that is given time', () => {
  it('ends by itself when its input is closed, and is not hurried', async () => {
    const { agent } = await play({
      begin: ({ process }) => void process.stdin.once('end', () => process.exit(7)),
    })
    holdTime()
    expect(await agent.stop()).toEqual({ code: 7, signal: null, lastWords: '' })
    expect(await agent.ended).toEqual({ code: 7, signal: null, lastWords: '' })
  })

  it('that ends while its output is paused is read to the end, or a runner without room for more could not stop it', async () => {
    const heard = new Heard()
    let isFull = false
    const update = (said: AgentUpdate) => {
      heard.handlers.update(said)
      if (isFull) agent.pauseReading()
    }
    const command = scripted({
      'session/prompt': async ({ say, process }) => {
        say('before')
        await new Promise((resolve) => process.stdin.once('end', resolve))
        for (const word of ['the', 'very', 'last']) say(word)
        process.exit(0)
      },
    })
    const agent = await startAgent(command, { ...heard.handlers, update })
    await agent.newSession()
    const turn = expect(agent.prompt(words('go'))).rejects.toBeInstanceOf(AgentGone)
    await heard.until(() => heard.texts.length > 0)
    holdTime()
    isFull = true
    agent.pauseReading()
    await agent.stop()
    await turn
    expect(heard.texts).toEqual(['before', 'the', 'very', 'last'])
  })

  it('that takes too long to start is ended, with its last words', async () => {
    const heard = new Heard()
    const command = scripted({
      begin: ({ fs, write, process }) => {
        fs.writeSync(2, 'downloading the world')
        write(`${process.pid}\n`)
      },
      initialize: () => undefined,
    })
    holdTime()
    const starting = startAgent(command, heard.handlers, { startMs: 1000 }).catch((why: Error) => why)
    await heard.until(() => heard.unknown.length > 0)
    vi.advanceTimersByTime(1000)
    const error = await starting
    expect(error).toBeInstanceOf(AgentGone)
    expect((error as Error).message).toMatch(
      /did not answer within 1 s of its start\. Its last output: downloading the world/,
    )
    expect(isRunning(Number(heard.unknown[0]))).toBe(false)
  })
})
