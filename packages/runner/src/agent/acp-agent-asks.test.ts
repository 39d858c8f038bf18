import { describe, expect, it } from 'vitest'
import { playInSession, type Script, words } from './agent-under-test.ts'

const options = [
  { optionId: 'blue', name: 'Blue', kind: 'allow_once' },
  { optionId: 'red', name: 'Red', kind: 'allow_once' },
]

/** Asks once, and says what it was answered. */
const asking: Script = {
  'session/prompt': async ({ ask, update }, { prompt }: { prompt: [{ text: string }] }) => {
    const [method, params] = JSON.parse(prompt[0].text) as [string, object]
    update({ sessionUpdate: 'answered', answer: await ask(method, params, 1000) })
    return { stopReason: 'end_turn' }
  },
}
const toAsk = (method: string, params: object) => words(JSON.stringify([method, params]))
const permission = toAsk('session/request_permission', {
  sessionId: 'own',
  options,
  toolCall: { toolCallId: 't' },
})
const form = toAsk('elicitation/create', { sessionId: 'own', mode: 'form', message: 'Which?' })

describe('a request of an agent', () => {
  it('is passed on as the agent wrote it, and is answered once', async () => {
    const { agent, heard } = await playInSession(asking)
    const turn = agent.prompt(permission)
    const ask = await heard.ask()
    expect(ask.method).toBe('session/request_permission')
    expect(ask.params).toEqual({ sessionId: 'own', options, toolCall: { toolCallId: 't' } })
    ask.reply({ outcome: { outcome: 'selected', optionId: 'red' } })
    ask.reply({ outcome: { outcome: 'selected', optionId: 'blue' } })
    await turn
    expect(heard.updates.map(({ answer }) => answer)).toEqual([
      { id: 1000, result: { outcome: { outcome: 'selected', optionId: 'red' } } },
    ])
    expect(ask.withdrawn.aborted).toBe(false)
  })

  it('may be a question with a form instead of a permission', async () => {
    const { agent, heard } = await playInSession(asking)
    const turn = agent.prompt(form)
    const ask = await heard.ask()
    expect(ask).toMatchObject({ method: 'elicitation/create', params: { mode: 'form', message: 'Which?' } })
    ask.reply({ action: 'accept', content: { which: 'this' } })
    await turn
    expect(heard.updates[0]?.answer).toMatchObject({
      result: { action: 'accept', content: { which: 'this' } },
    })
  })

  it.each([
    ['a permission', permission, { outcome: { outcome: 'cancelled' } }],
    ['a question', form, { action: 'cancel' }],
  ])('as %s is answered as cancelled when its turn is', async (_, prompt, answer) => {
    const { agent, heard } = await playInSession(asking)
    const turn = agent.prompt(prompt)
    const ask = await heard.ask()
    agent.cancel()
    expect(ask.withdrawn.aborted).toBe(true)
    ask.reply({ too: 'late' })
    await turn
    expect(heard.updates.map((update) => update.answer)).toEqual([{ id: 1000, result: answer }])
  })

  it('after its turn was cancelled is not passed on', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ ask, heard: hear, update }) => {
        await hear('session/cancel')
        update({ sessionUpdate: 'answered', answer: await ask('session/request_permission', {}) })
        return { stopReason: 'cancelled' }
      },
    })
    const turn = agent.prompt(words('go'))
    agent.cancel()
    await turn
    expect(heard.asks).toEqual([])
    expect(heard.updates[0]?.answer).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } })
  })

  it.each([
    ['$/cancel_request', { requestId: 1000 }, { error: { code: -32800, message: 'Request cancelled' } }],
    ['$/cancelRequest', { id: 1000 }, { error: { code: -32800, message: 'Request cancelled' } }],
    ['elicitation/complete', { elicitationId: 'e1' }, { result: { action: 'accept' } }],
  ])('is taken back by %s', async (method, params, answer) => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ ask, notify, update }, { prompt }: { prompt: [{ text: string }] }) => {
        const other = ask('elicitation/create', { mode: 'url', elicitationId: 'e2' }, 1001)
        const asked = ask('elicitation/create', { mode: 'url', elicitationId: 'e1' }, 1000)
        const [back, said] = JSON.parse(prompt[0].text) as [string, object]
        notify(back, said)
        update({ sessionUpdate: 'answered', answer: await asked })
        await other
        return { stopReason: 'end_turn' }
      },
    })
    const turn = agent.prompt(toAsk(method, params))
    await heard.until(() => heard.updates.length > 0)
    expect(heard.updates[0]?.answer).toEqual({ id: 1000, ...answer })
    const [other, asked] = heard.asks
    expect(asked?.withdrawn.aborted).toBe(true)
    expect(other?.withdrawn.aborted).toBe(false)
    other?.reply({ action: 'decline' })
    await turn
    expect(heard.unknown).toEqual([])
  })

  it('is withdrawn when the agent dies, and a later answer does no harm', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': ({ ask, process }) => {
        void ask('session/request_permission', {})
        process.exit(3)
      },
    })
    const turn = agent.prompt(words('go'))
    const gone = expect(turn).rejects.toThrow('ended with exit code 3')
    const ask = await heard.ask()
    await gone
    expect(ask.withdrawn.aborted).toBe(true)
    ask.reply({ outcome: { outcome: 'cancelled' } })
    expect(await agent.ended).toEqual({ code: 3, signal: null, lastWords: '' })
  })

  it('stays open when the agent withdraws another one', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ ask, notify, update }) => {
        const asked = ask('session/request_permission', { options: [] })
        for (const method of ['elicitation/complete', '$/cancel_request', '$/cancelRequest'])
          notify(method, {})
        update({ sessionUpdate: 'answered', answer: await asked })
        return { stopReason: 'end_turn' }
      },
    })
    const turn = agent.prompt(words('go'))
    const ask = await heard.ask()
    // A request that it sends next is heard after those.
    await expect(agent.setMode('any')).rejects.toThrow('no session/set_mode')
    expect(ask.withdrawn.aborted).toBe(false)
    ask.reply({ outcome: { outcome: 'selected', optionId: 'no' } })
    await turn
    expect(heard.updates[0]?.answer).toMatchObject({ result: { outcome: { optionId: 'no' } } })
  })

  it('with an id that is in use replaces the earlier one', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ ask }) => {
        void ask('session/request_permission', { first: true }, 5)
        await ask('session/request_permission', { second: true }, 5)
        return { stopReason: 'end_turn' }
      },
    })
    const turn = agent.prompt(words('go'))
    await heard.until(() => heard.asks.length === 2)
    expect(heard.asks.map(({ withdrawn }) => withdrawn.aborted)).toEqual([true, false])
    for (const ask of heard.asks) ask.reply({ outcome: { outcome: 'cancelled' } })
    await turn
  })

  it('without any params is refused, not shown', async () => {
    const { agent, heard } = await playInSession({
      'session/prompt': async ({ ask, update }) => {
        update({ sessionUpdate: 'answered', answer: await ask('elicitation/create', undefined as never) })
        return { stopReason: 'end_turn' }
      },
    })
    await agent.prompt(words('go'))
    expect(heard.updates[0]?.answer).toMatchObject({ error: { code: -32602 } })
    expect(heard.asks).toEqual([])
  })
})
