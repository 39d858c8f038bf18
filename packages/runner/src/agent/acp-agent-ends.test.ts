import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAgent } from './acp-agent.ts'
import { AgentGone, AgentIgnoredCancel } from './agent.ts'
import { Heard, isRunning, playInSession, type Script, scripted, words } from './agent-under-test.ts'

const onLinux = process.platform === 'linux'

/** Does not care that its input is closed, like Codex, and says which processes there are when it is ready. */
const lingering: Script = {
  'session/prompt': async ({ childProcess, process, update }, { prompt }: { prompt: [{ text: string }] }) => {
    const [{ text }] = prompt
    const stay = `process.on('${text}', () => {}); setInterval(() => {}, 1000); console.error('ready')`
    process.on(text, () => {})
    setInterval(() => {}, 1000)
    const children = [true, false].map((detached) =>
      childProcess.spawn(process.execPath, ['-e', stay], { detached, stdio: ['ignore', 'inherit', 'pipe'] }),
    )
    for (const child of children) await new Promise((resolve) => child.stderr.once('data', resolve))
    update({ sessionUpdate: 'pids', pids: [process.pid, ...children.map(({ pid }) => pid)] })
    return { stopReason: 'end_turn' }
  },
}
const ignoring = (signal: string) => words(signal)

/** The processes it has told of. */
function pidsOf(heard: Heard): number[] {
  return heard.updates.flatMap(({ pids }) => (pids as number[] | undefined) ?? [])
}
const endAfterwards = (pids: () => number[]) =>
  onTestFinished(() => {
    for (const pid of pids().filter(isRunning)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has gone with another one.
      }
    }
  })

describe('an agent that ends', () => {
  it('ends all processes that it has started, even those that ignore signals or left its group', async () => {
    const { agent, heard } = await playInSession(lingering)
    endAfterwards(() => pidsOf(heard))
    await agent.prompt(ignoring('SIGTERM'))
    const pids = pidsOf(heard)
    expect(pids).toHaveLength(3)
    expect(pids.map(isRunning)).toEqual([true, true, true])
    const end = await agent.stop()
    expect(end.signal).toBe('SIGKILL')
    // Elsewhere, who has left the group cannot be found.
    expect(pids.map(isRunning)).toEqual([false, onLinux ? false : expect.any(Boolean), false])
  })

  it('is not waited for when it hangs in the middle of a turn, not even one that the system has stopped', async () => {
    const { agent, heard } = await playInSession(
      {
        'session/prompt': async ({ say, process }) => {
          say('before')
          process.kill(process.pid, 'SIGSTOP')
        },
      },
      { cancelPatienceMs: 50 },
    )
    const turn = agent.prompt(words('go'))
    await heard.until(() => heard.texts.length > 0)
    agent.cancel()
    await expect(turn).rejects.toBeInstanceOf(AgentIgnoredCancel)
    // It was woken to hear of its end, and not just killed.
    expect(await agent.stop()).toMatchObject({ signal: 'SIGTERM' })
  })

  it('by a crash ends all its processes, too, even those that still have its output open', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ childProcess, process, update }) => {
        const stay = 'setInterval(() => {}, 1000)'
        const children = [true, false].map((detached) =>
          childProcess.spawn(process.execPath, ['-e', stay], { detached, stdio: 'inherit' }),
        )
        update({ sessionUpdate: 'pids', pids: children.map(({ pid }) => pid) })
        process.kill(process.pid, 'SIGKILL')
        return new Promise(() => {})
      },
    })
    endAfterwards(() => pidsOf(heard))
    await expect(agent.prompt(words('go'))).rejects.toThrow(/ended by SIGKILL/)
    expect(await agent.ended).toMatchObject({ code: null, signal: 'SIGKILL' })
    const [, inGroup] = pidsOf(heard)
    expect(isRunning(inGroup!)).toBe(false)
    expect(pidsOf(heard).map(isRunning)).toEqual([onLinux ? false : expect.any(Boolean), false])
  })

  it('by a kill is over at once: output of processes that it started does not count', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ childProcess, process }) => {
        const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'all done' } }
        const frame = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'own', update } }
        const speak = `process.on('SIGTERM', () => {
          require('node:fs').writeSync(1, ${JSON.stringify(`${JSON.stringify(frame)}\n`)})
          process.exit()
        })
        setInterval(() => {}, 1000)
        console.error('ready')`
        const child = childProcess.spawn(process.execPath, ['-e', speak], {
          stdio: ['inherit', 'inherit', 'pipe'],
        })
        await new Promise((resolve) => child.stderr.once('data', resolve))
        process.kill(process.pid, 'SIGKILL')
        return new Promise(() => {})
      },
    })
    await expect(agent.prompt(words('go'))).rejects.toThrow(/ended by SIGKILL/)
    expect(heard.texts).toEqual([])
  })

  it('is not waited for in vain when a process that cannot be found keeps its output open', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ childProcess, process, update }) => {
        // Without the mark; one of them in its group all the same.
        const children = [false, true].map((detached) =>
          childProcess.spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
            detached,
            stdio: 'inherit',
            env: {},
          }),
        )
        update({ sessionUpdate: 'pids', pids: children.map(({ pid }) => pid) })
        process.exit(1)
      },
    })
    endAfterwards(() => pidsOf(heard))
    await expect(agent.prompt(words('go'))).rejects.toBeInstanceOf(AgentGone)
    await agent.ended
    const pids = pidsOf(heard)
    expect(pids.map(isRunning)).toEqual([false, true])
  })

  it('has all its earlier output read', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ say, process }) => {
        for (let n = 0; n < 2000; n++) say(String(n))
        process.exit(1)
      },
    })
    await expect(agent.prompt(words('go'))).rejects.toBeInstanceOf(AgentGone)
    expect(heard.texts).toHaveLength(2000)
  })

  it('is one that has closed its output: it could neither report nor ask any more', async () => {
    const { agent } = await playInSession({
      'session/prompt': ({ fs }) => {
        setInterval(() => {}, 1000)
        fs.closeSync(1)
      },
    })
    await expect(agent.prompt(words('go'))).rejects.toBeInstanceOf(AgentGone)
    await agent.ended
  })

  it('leaves its last output, at most 8 KiB of it', async () => {
    const { agent } = await playInSession({
      'session/prompt': ({ fs, process }) => {
        fs.writeSync(2, `${'é'.repeat(20_000)}x the end`)
        process.exit(1)
      },
    })
    const error = await agent.prompt(words('go')).catch((reason: AgentGone) => reason)
    const { lastWords } = (error as AgentGone).end
    expect(lastWords).toMatch(/^é+x the end$/)
    expect(Buffer.byteLength(lastWords)).toBeLessThanOrEqual(8192)
    expect(Buffer.byteLength(lastWords)).toBeGreaterThan(8000)
  })

  it('has its keys removed from its last output, which goes into the log', async () => {
    const heard = new Heard()
    const env = {
      SOME_API_KEY: 'sk-0123456789',
      OTHER_TOKEN: 'sk-0123456789-long',
      PASSWORD: 'short',
      HOME: '/my/home',
    }
    const dying = scripted(
      {
        initialize: ({ fs, process }) => {
          const { SOME_API_KEY, OTHER_TOKEN, PASSWORD, HOME } = process.env
          fs.writeSync(2, `401 for ${SOME_API_KEY}, ${OTHER_TOKEN}, ${PASSWORD} in ${HOME}`)
          process.exit(1)
        },
      },
      env,
    )
    const error = await startAgent(dying, heard.handlers).catch((reason: AgentGone) => reason)
    expect((error as AgentGone).end.lastWords).toBe(
      '401 for [secret SOME_API_KEY], [secret OTHER_TOKEN], short in /my/home',
    )
    expect((error as AgentGone).message).not.toContain('0123')
  })

  it('has a key removed, too, of which only the end would be left', async () => {
    const dying = scripted(
      {
        initialize: ({ fs, process }) => {
          fs.writeSync(2, `${process.env.SOME_API_KEY}${'.'.repeat(8186)}`)
          process.exit(1)
        },
      },
      { SOME_API_KEY: 'sk-0123456789' },
    )
    const error = await startAgent(dying, new Heard().handlers).catch((reason: AgentGone) => reason)
    expect((error as AgentGone).end.lastWords).toBe(`[secret SOME_API_KEY]${'.'.repeat(8186)}`.slice(-8192))
  })

  it('has the keys of its MCP servers removed, too, whole or as a part of a header', async () => {
    const header = { name: 'Authorization', value: 'Bearer tok-0123456789' }
    const mcpServers = [
      { type: 'http' as const, name: 'a', url: 'https://example.test', headers: [header] },
      { name: 'b', command: 'b', args: [], env: [{ name: 'B_KEY', value: 'key-0123456789' }] },
    ]
    const dying = scripted({
      initialize: ({ fs, process }) => {
        fs.writeSync(2, 'refused: tok-0123456789 (Bearer), key-0123456789')
        process.exit(1)
      },
    })
    const error = await startAgent({ ...dying, mcpServers }, new Heard().handlers).catch(
      (why: AgentGone) => why,
    )
    expect((error as AgentGone).end.lastWords).toBe(
      'refused: [secret Authorization] (Bearer), [secret B_KEY]',
    )
  })

  it('answers nothing any more: requests to it are rejected, and stopping it again does nothing', async () => {
    const { agent } = await playInSession({})
    const end = await agent.stop()
    await expect(agent.prompt(words('go'))).rejects.toBeInstanceOf(AgentGone)
    await expect(agent.newSession()).rejects.toBeInstanceOf(AgentGone)
    await expect(agent.setMode('any')).rejects.toBeInstanceOf(AgentGone)
    agent.cancel()
    expect(await agent.stop()).toEqual(end)
  })
})

describe('the environment of an agent', () => {
  it('has the variables of its command and a mark that identifies its children, and none of the runner’s', async () => {
    const heard = new Heard()
    const command = scripted(
      { begin: ({ write, process }) => write(`${JSON.stringify(process.env)}\n`) },
      { GIVEN: 'yes' },
    )
    const mark = randomUUID()
    const agent = await startAgent(command, heard.handlers, { mark })
    await agent.stop()
    expect(JSON.parse(heard.unknown[0]!)).toEqual({ GIVEN: 'yes', FARHAND_AGENT: mark })
  })
})

describe.runIf(onLinux)('an agent whose host was killed', () => {
  it('and that went on is ended before the next one of that name begins; others stay', async () => {
    // Tests of another copy of this house may run beside these.
    const mark = randomUUID()
    const [mine, other] = await Promise.all([leftBehind(mark), leftBehind(`${mark}1`)])
    expect([...mine, ...other].every(isRunning)).toBe(true)
    const agent = await startAgent(scripted({}), new Heard().handlers, { mark })
    expect(mine.map(isRunning)).toEqual([false, false, false])
    expect(other.map(isRunning)).toEqual([true, true, true])
    await agent.stop()
    expect(other.map(isRunning)).toEqual([true, true, true])
  })
})

const href = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)

/** The processes of an agent whose runner was killed. */
async function leftBehind(mark: string): Promise<number[]> {
  const program = `
    import { startAgent } from ${href('./acp-agent.ts')}
    const update = ({ pids }) => console.log(JSON.stringify(pids))
    const command = ${JSON.stringify(scripted(lingering))}
    const agent = await startAgent(command, { update, asked() {}, unknown() {} }, { mark: '${mark}' })
    await agent.newSession()
    await agent.prompt(${JSON.stringify(ignoring('SIGHUP'))})`
  const host: ChildProcess = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(createInterface({ input: host.stdout! }), 'line')) as [string]
  const pids = JSON.parse(line) as number[]
  endAfterwards(() => pids)
  host.kill('SIGKILL')
  await once(host, 'exit')
  return pids
}
