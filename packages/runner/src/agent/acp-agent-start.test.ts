import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { startAgent } from './acp-agent.ts'
import { AgentGone, AgentRefused } from './agent.ts'
import { Heard, isRunning, play, type Script, scripted, temporaryFolder } from './agent-under-test.ts'

const why = (attempt: Promise<unknown>) =>
  attempt.then(
    () => expect.fail('it started'),
    (error: Error) => error,
  )

describe('an agent that cannot start', () => {
  const { handlers } = new Heard()

  it('because there is no such program fails with a sentence that says what to do', async () => {
    const error = await why(startAgent({ ...scripted({}), command: 'no-such-agent' }, handlers))
    expect(error).toBeInstanceOf(AgentGone)
    expect(error.message).toBe(
      'The agent cannot start: program not found: "no-such-agent". Install it, or give its full path.',
    )
  })

  it('because its program cannot be run fails with a sentence that says what to do', async () => {
    const command = path.join(await temporaryFolder(), 'agent')
    await writeFile(command, 'echo', { mode: 0o644 })
    const error = await why(startAgent({ ...scripted({}), command }, handlers))
    expect(error).toBeInstanceOf(AgentGone)
    expect(error.message).toMatch(/is not executable\. Make it executable/)
  })

  it('because its folder is missing is not blamed on its program', async () => {
    const error = await why(startAgent({ ...scripted({}), cwd: '/no/such/folder' }, handlers))
    expect(error).toBeInstanceOf(AgentGone)
    expect(error.message).toContain('its folder /no/such/folder does not exist')
  })

  it('because its program does not speak ACP is not tried again, and reported with the command that was run', async () => {
    const echoes = { ...scripted({}), name: 'mine', command: process.execPath }
    for (const script of [
      'process.stdin.pipe(process.stdout)',
      `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}'))`,
    ]) {
      const error = await why(startAgent({ ...echoes, args: ['-e', script] }, handlers))
      expect(error).toBeInstanceOf(AgentRefused)
      expect(error.message).toContain('The agent "mine" does not speak the Agent Client Protocol: `')
      expect(error.message).toContain(`-e ${script}\``)
    }
  })

  it('and dies at once is reported with its last output', async () => {
    const command = scripted({
      begin: ({ fs, process }) => {
        fs.writeSync(2, 'no API key\n')
        process.exit(4)
      },
    })
    const error = await why(startAgent(command, handlers))
    expect(error).toMatchObject({ end: { code: 4, signal: null, lastWords: 'no API key' } })
    expect(error.message).toMatch(/ended with exit code 4\. Its last output: no API key$/)
    const named = await why(startAgent({ ...command, name: 'mine' }, handlers))
    expect(named.message).toMatch(/^The agent "mine" ended with/)
  })

  it('that died once starts the next time all the same', async () => {
    const tried = path.join(await temporaryFolder(), 'tried')
    const command = scripted(
      {
        initialize: ({ fs, process }) => {
          const { TRIED } = process.env
          if (fs.existsSync(TRIED!)) return { protocolVersion: 1 }
          fs.writeFileSync(TRIED!, '')
          process.exit(1)
        },
      },
      { TRIED: tried },
    )
    expect(await why(startAgent(command, handlers))).toBeInstanceOf(AgentGone)
    const agent = await startAgent(command, handlers)
    expect(await agent.newSession()).toMatchObject({ sessionId: 'own' })
    await agent.stop()
  })
})

describe('an agent that starts and is not used', () => {
  it('because it speaks another version of the protocol is ended', async () => {
    const heard = new Heard()
    const command = scripted({
      begin: ({ write, process }) => write(`${process.pid}\n`),
      initialize: () => ({ protocolVersion: 2 }),
    })
    const error = await why(startAgent(command, heard.handlers))
    expect(error).toBeInstanceOf(AgentRefused)
    expect(error.message).toMatch(/speaks version 2 of the Agent Client Protocol, and we speak 1/)
    expect(isRunning(Number(heard.unknown[0]))).toBe(false)
  })

  it('because it refuses to begin is ended, and its reason kept', async () => {
    const heard = new Heard()
    const command = scripted({
      begin: ({ write, process }) => write(`${process.pid}\n`),
      initialize: () => {
        throw { code: -32603, message: 'license expired' }
      },
    })
    const error = await why(startAgent(command, heard.handlers))
    expect(error).toBeInstanceOf(AgentRefused)
    expect(error).toMatchObject({ code: -32603, message: 'license expired' })
    expect(isRunning(Number(heard.unknown[0]))).toBe(false)
  })

  it('because it refuses to begin is reported without its key', async () => {
    const command = scripted(
      {
        initialize: ({ process }) => {
          throw { code: -32603, message: `no such key: ${process.env.SOME_API_KEY}` }
        },
      },
      { SOME_API_KEY: 'sk-0123456789' },
    )
    const error = await why(startAgent(command, new Heard().handlers))
    expect(error).toMatchObject({ code: -32603, message: 'no such key: [secret SOME_API_KEY]' })
  })

  it('because the run was closed meanwhile is ended', async () => {
    const heard = new Heard()
    const command = scripted({
      initialize: ({ write, process }) => write(`${process.pid}\n`),
    })
    const leaving = new AbortController()
    const starting = why(startAgent(command, heard.handlers, { signal: leaving.signal }))
    await heard.until(() => heard.unknown.length > 0)
    leaving.abort(new Error('the run was closed'))
    expect((await starting).message).toBe('the run was closed')
    expect(isRunning(Number(heard.unknown[0]))).toBe(false)
  })
})

describe('an agent that wants to be signed in to', () => {
  it('says which ways it offers', async () => {
    const { agent } = await play({
      initialize: () => ({
        protocolVersion: 1,
        authMethods: [
          { id: 'browser', name: 'Log in with a browser' },
          { id: 'key', name: 'API key', description: 'set AGENT_KEY' },
        ],
      }),
      'session/new': () => {
        throw { code: -32000, message: 'Authentication required' }
      },
    })
    const error = await why(agent.newSession())
    expect(error).toBeInstanceOf(AgentRefused)
    expect(error).toMatchObject({ code: -32000 })
    expect(error.message).toContain('Authentication required')
    expect(error.message).toContain('It offers: Log in with a browser; API key (set AGENT_KEY).')
  })

  it('is signed in to with a key that is set, and goes on', async () => {
    const { agent } = await play(wantsKey, {}, { AGENT_KEY: 'good' })
    expect(await agent.newSession()).toMatchObject({ sessionId: 'signed-in' })
  })

  it('and refuses the key that is set is reported as tried', async () => {
    const { agent } = await play(wantsKey, {}, { AGENT_KEY: 'bad' })
    const error = await why(agent.newSession())
    expect(error).toBeInstanceOf(AgentRefused)
    expect(error.message).toContain('this key is not known. It rejected the sign-in method "API key"')
  })

  it('and has no key is not told to use one', async () => {
    const { agent } = await play(wantsKey)
    const error = await why(agent.newSession())
    expect(error.message).toContain('It offers: API key (set AGENT_KEY).')
    expect(error.message).not.toContain('It was told')
  })
})

const wantsKey: Script = {
  initialize: () => ({
    protocolVersion: 1,
    authMethods: [{ id: 'key', name: 'API key', type: 'env_var', vars: [{ name: 'AGENT_KEY' }] }],
  }),
  authenticate: ({ process }, { methodId }: { methodId: string }) => {
    if (process.env.AGENT_KEY !== 'good') throw { code: -32000, message: 'this key is not known' }
    process.env.SIGNED_IN = methodId
    return {}
  },
  'session/new': ({ process }) => {
    if (process.env.SIGNED_IN !== 'key') throw { code: -32000, message: 'Authentication required' }
    return { sessionId: 'signed-in' }
  },
}
