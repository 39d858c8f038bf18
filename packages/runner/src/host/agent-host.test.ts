import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventOf } from '@farhand/protocol/events/acp-updates'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAgent } from '../agent/acp-agent.ts'
import { AgentGone } from '../agent/agent.ts'
import { Heard, isRunning, type Script, scripted, temporaryFolder, words } from '../agent/agent-under-test.ts'
import { Orders } from '../orders/orders.ts'
import { AgentHost, type AgentHostParts } from './agent-host.ts'

type Hosted = { host: AgentHost; said: Notification[]; orders: Orders; noted: () => string[] }

/** A host of an agent that follows the script; what the agent appends to the file NOTES can be read. */
async function hosted(script: Script, more: Partial<AgentHostParts> = {}): Promise<Hosted> {
  const file = path.join(await temporaryFolder(), 'notes')
  const said: Notification[] = []
  const orders = new Orders()
  const host = new AgentHost({
    id: 'scripted',
    command: scripted(script, { NOTES: file }),
    handlers: new Heard().handlers,
    orders,
    emit(event) {
      said.push(event)
      orders.takeOwn(event, 1)
    },
    start: (command, handlers, signal) => startAgent(command, handlers, { signal }),
    signal: new AbortController().signal,
    ...more,
  })
  onTestFinished(() => host.stop())
  const noted = () => readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return { host, said, orders, noted }
}

/** Says who it is before it could be too late for that. */
const neverNew: Script = {
  initialize: ({ fs, process }) => {
    fs.appendFileSync(process.env.NOTES!, `${process.pid}\n`)
    return { protocolVersion: 1 }
  },
  'session/new': () => undefined,
}

describe('an agent that is kept running', () => {
  it('is one, in one session, even if many callers need it while it starts', async () => {
    const { host, said, noted } = await hosted({
      'session/new': async ({ fs, process }) => {
        fs.appendFileSync(process.env.NOTES!, 'new\n')
        await new Promise((resolve) => setTimeout(resolve, 50))
        return { sessionId: 'own' }
      },
    })
    const all = await Promise.all([host.ready(), host.ready(), host.ready()])
    expect(new Set(all.map(({ agent }) => agent)).size).toBe(1)
    expect(noted()).toEqual(['new'])
    expect(said.map(({ method }) => method)).toEqual(['_posthog/agent_start'])
    // A reader of its tools' events knows by that which paths are of the workspace.
    expect(said[0]!.params).toMatchObject({ cwd: tmpdir() })
  })

  it('W39 is gone before another one begins, once it was left', async () => {
    const { host, orders, noted, said } = await hosted({
      'session/new': ({ fs, process }) => {
        fs.appendFileSync(process.env.NOTES!, `${process.pid}\n`)
        return { sessionId: `of ${process.pid}` }
      },
      'session/load': () => ({}),
    })
    await host.ready()
    orders.hasWorked = true
    expect(host.leaveIfRewound()).toBe(false)
    orders.forgetSession()
    orders.rewoundAt = 5
    expect([host.leaveIfRewound(), host.leaveIfRewound()]).toEqual([true, false])
    expect(await host.current()).toBeNull()
    const { isToBeBriefed } = await host.ready()
    const [first, second] = noted().map(Number)
    expect(second).not.toBe(first)
    expect(isRunning(first!)).toBe(false)
    expect(isToBeBriefed).toBe(true)
    expect(said.map(({ params }) => params?.how)).toEqual(['new', 'briefed'])
  })

  it('is initialized again after it died during the first initialize', async () => {
    const { host } = await hosted({
      initialize: ({ fs, process }) => {
        if (fs.existsSync(process.env.NOTES!)) return { protocolVersion: 1 }
        fs.writeFileSync(process.env.NOTES!, '')
        process.exit(1)
      },
    })
    await expect(host.ready()).rejects.toThrow(AgentGone)
    expect((await host.ready()).agent.said.protocolVersion).toBe(1)
  })

  it('is ended when it answers initialize and then opens no session, and the next is tried', async () => {
    const { host, noted } = await hosted(neverNew, { openMs: 300 })
    await expect(host.ready()).rejects.toThrow('did not open a session within 0.3 s')
    await expect(host.ready()).rejects.toThrow(AgentGone)
    const pids = noted().map(Number)
    expect(new Set(pids).size).toBe(2)
    expect(pids.filter(isRunning)).toEqual([])
  })

  it('is ended while it starts if its caller gives up, not only after it has started', async () => {
    const heard = new Heard()
    const script: Script = {
      'session/new': ({ update, process }) => update({ sessionUpdate: 'pid', pid: process.pid }),
    }
    const { host } = await hosted(script, { handlers: heard.handlers })
    const ready = host.ready()
    ready.catch(() => {})
    await heard.until(() => heard.updates.length > 0)
    await host.stop()
    await expect(ready).rejects.toThrow(AgentGone)
    expect(isRunning(Number(heard.updates[0]!.pid))).toBe(false)
  })

  it.each(['session/resume', 'session/load'])(
    'that crashes on its own memory (%s) continues with what the runner tells it',
    async (dies) => {
      const { host, said, orders } = await hosted({
        initialize: () => ({
          protocolVersion: 1,
          agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
        }),
        'session/resume': () => {
          throw { code: -32603, message: 'no such session' }
        },
        'session/load': () => ({}),
        [dies]: ({ process }) => process.exit(1),
      })
      orders.session = { agent: 'scripted', sessionId: 'before', how: 'new', said: {}, generation: 1 }
      orders.hasWorked = true
      await expect(host.ready()).rejects.toThrow(AgentGone)
      expect((await host.ready()).isToBeBriefed).toBe(true)
      expect(said[0]?.params).toMatchObject({ how: 'briefed' })
    },
  )

  it('is not waited for in vain when it never answers a mode', async () => {
    const { host, orders } = await hosted({ 'session/set_mode': () => {} }, { modeMs: 50 })
    orders.modeId = 'plan'
    expect((await host.ready()).isToBeBriefed).toBe(false)
  })

  it('begins in the last session’s mode, chosen by user or agent, and not in the one that it opens in', async () => {
    const heard = new Heard()
    const { host, said, orders, noted } = await hosted(
      {
        'session/new': ({ update }) => {
          update({ sessionUpdate: 'current_mode_update', currentModeId: 'default' })
          return { sessionId: 'own', modes: { currentModeId: 'none', availableModes: [] } }
        },
        'session/resume': ({ update }) => {
          update({ sessionUpdate: 'current_mode_update', currentModeId: 'default' })
          return {}
        },
        'session/set_mode': ({ fs, process }, { modeId }: { modeId: string }) => {
          fs.appendFileSync(process.env.NOTES!, `${modeId}\n`)
          return {}
        },
        'session/prompt': ({ update, process }) => {
          update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' })
          process.exit(1)
        },
      },
      { handlers: { ...heard.handlers, update: (update) => orders.takeOwn(eventOf(update), 1) } },
    )
    orders.modeId = 'edits'
    const { agent } = await host.ready()
    expect([noted(), orders.modeId]).toEqual([['edits'], 'edits'])
    await expect(agent.prompt(words('go'))).rejects.toThrow(AgentGone)
    await host.ready()
    expect(noted()).toEqual(['edits', 'plan'])
    const modes = said.flatMap(({ params }) => params?.modes ?? [])
    expect(modes).toMatchObject([{ currentModeId: 'default' }, { currentModeId: 'default' }])
  })

  it('W58 says in the log which mode and options are in force once it has taken them, and nothing of those it refuses', async () => {
    const { host, said, orders } = await hosted({
      'session/set_mode': (_, { modeId }: { modeId: string }) => {
        if (modeId === 'none') throw new Error('no such mode')
        return {}
      },
      'session/set_config_option': () => ({ configOptions: [{ id: 'model', currentValue: 'large' }] }),
    })
    const chosen = (method: string, params: Record<string, unknown>) =>
      host.heard({ notification: { jsonrpc: '2.0', method, params } } as SeenEvent)
    await host.ready()
    said.length = 0
    for (const modeId of ['plan', 'none']) {
      orders.modeId = modeId
      await chosen('session/set_mode', { modeId })
    }
    await chosen('session/set_config_option', { configId: 'model', value: 'large' })
    expect(said).toMatchObject([
      { params: { update: { sessionUpdate: 'current_mode_update', currentModeId: 'plan' } } },
      { method: '_posthog/error' },
      { params: { update: { sessionUpdate: 'config_option_update', configOptions: [{ id: 'model' }] } } },
    ])
  })
})
