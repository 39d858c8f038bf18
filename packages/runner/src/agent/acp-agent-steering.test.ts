import { describe, expect, it } from 'vitest'
import { playInSession, type Script, words } from './agent-under-test.ts'

declare global {
  /** Ends the turn of a scripted agent; it is there while the turn is under way. */
  var endTurn: (() => void) | undefined
}

const canBeSteered: Script = {
  initialize: () => ({ protocolVersion: 1, _meta: { steering: { supported: true } } }),
  'session/prompt': async ({ say }) => {
    const over = new Promise<void>((resolve) => {
      globalThis.endTurn = resolve
    })
    say('begun')
    await over
    return { stopReason: 'end_turn' }
  },
}

async function inTurn(script: Script) {
  const { agent, heard } = await playInSession({ ...canBeSteered, ...script })
  const turn = agent.prompt(words('build it'))
  // It may be under way when the test is over, and its agent ends then.
  turn.catch(() => {})
  await heard.until(() => heard.texts.includes('begun'))
  return { agent, heard, turn }
}

describe('a message for a running turn', () => {
  it('reaches the agent with the session id, and asks it not to begin a new turn', async () => {
    const { agent, heard, turn } = await inTurn({
      '_session/steering': ({ update }, params) => {
        update({ sessionUpdate: 'steered', params })
        globalThis.endTurn?.()
        return { outcome: 'injected' }
      },
    })
    expect(agent.canBeSteered).toBe(true)
    expect(await agent.steer(words('no, this'))).toBe(true)
    expect((await turn).stopReason).toBe('end_turn')
    expect(heard.updates.at(-1)?.params).toEqual({
      sessionId: 'own',
      prompt: words('no, this'),
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    })
  })

  it.each<[string, Script]>([
    ['refuses', { '_session/steering': () => ({ outcome: 'promptRequired', reason: 'noRunningTurn' }) }],
    ['fails', { '_session/steering': () => Promise.reject({ code: -32603, message: 'not now' }) }],
    ['does not answer before its turn is over', { '_session/steering': () => globalThis.endTurn?.() }],
    ['dies of it', { '_session/steering': ({ process }) => process.exit(3) }],
  ])('counts as not read by an agent that %s', async (_, script) => {
    const { agent } = await inTurn(script)
    expect(await agent.steer(words('no, this'))).toBe(false)
  })

  it('counts as read by an agent that began a turn with it after all: it is not sent twice', async () => {
    const { agent } = await inTurn({ '_session/steering': () => ({ outcome: 'startedNewTurn' }) })
    expect(await agent.steer(words('no, this'))).toBe(true)
  })

  it('is not sent to an agent that has no turn, is ending its turn, or never said that it can be steered', async () => {
    const told: Script = { '_session/steering': () => ({ outcome: 'injected' }) }
    const { agent: idle } = await playInSession({ ...canBeSteered, ...told })
    expect(await idle.steer(words('no, this'))).toBe(false)
    const { agent: ending } = await inTurn(told)
    ending.cancel()
    expect(await ending.steer(words('no, this'))).toBe(false)
    const { agent: deaf } = await inTurn({ ...told, initialize: () => ({ protocolVersion: 1 }) })
    expect([deaf.canBeSteered, await deaf.steer(words('no, this'))]).toEqual([false, false])
  })
})
