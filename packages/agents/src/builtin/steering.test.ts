import { describe, expect, it } from 'vitest'
import { builtinHere } from './builtin-under-test.ts'
import { modelUnderTest } from './model-under-test.ts'

const injected = { outcome: 'injected' }
const notTaken = { outcome: 'promptRequired', reason: 'noRunningTurn' }
const write = (id: string) => ({ id, name: 'write', input: { path: id, text: id } })

function word() {
  let say = () => {}
  const said = new Promise<void>((resolve) => {
    say = resolve
  })
  return { said, say: () => say() }
}

/** A person who says this into the turn before they answer what they are asked. */
function whoSteers(...said: string[]) {
  const steered: Promise<unknown>[] = []
  let steer = (_: string): Promise<unknown> => Promise.resolve()
  return {
    steered,
    answers: async () => {
      steered.push(...said.splice(0, 1).map((words) => steer(words)))
      return 'allow-once'
    },
    with(agent: { steer(words: string): Promise<unknown> }) {
      steer = (words) => agent.steer(words)
    },
  }
}

describe('what is said into a turn', () => {
  it('is read by the model before its next step, after the results of its calls', async () => {
    const model = await modelUnderTest([{ calls: [write('a'), write('b')] }, { says: ['Blue, then.'] }])
    const person = whoSteers('make it blue')
    const builtin = await builtinHere({ FARHAND_MODEL_URL: model.url }, { answers: person.answers })
    person.with(builtin)
    expect((await builtin.prompt('make it red')).stopReason).toBe('end_turn')
    expect(await Promise.all(person.steered)).toEqual([injected])
    expect(model.requests[1]?.messages.slice(1).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ])
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('make it blue')
    expect(builtin.ends).toEqual({ a: 'completed', b: 'completed' })
  })

  it('is answered in the same turn even if it comes while the model streams its last text', async () => {
    const over = word()
    const model = await modelUnderTest([{ says: ['Done'], until: over.said }, { says: ['Blue, then.'] }])
    const builtin = await builtinHere({ FARHAND_MODEL_URL: model.url })
    const turn = builtin.prompt('make it red')
    await builtin.until(() => builtin.words === 'Done')
    const steered = builtin.steer('make it blue')
    // The answer to this one shows that the one before has arrived.
    await builtin.agent.request('session/set_mode', { sessionId: builtin.sessionId, modeId: 'all' })
    over.say()
    expect([await steered, (await turn).stopReason]).toEqual([injected, 'end_turn'])
    expect(builtin.words).toContain('Blue, then.')
  })

  it('is not taken by a turn that is cancelled, or may ask its model no more', async () => {
    const over = word()
    const model = await modelUnderTest([
      { says: ['Once'], hangs: true },
      { says: ['Done'], until: over.said },
    ])
    const env = { FARHAND_MODEL_URL: model.url, FARHAND_AGENT_STEPS: '1' }
    const builtin = await builtinHere(env)
    const first = builtin.prompt('tell')
    await builtin.until(() => builtin.words === 'Once')
    const steered = builtin.steer('shorter')
    await builtin.cancel()
    expect([await steered, (await first).stopReason]).toEqual([notTaken, 'cancelled'])
    const second = builtin.prompt('tell')
    await builtin.until(() => builtin.words.endsWith('Done'))
    const late = builtin.steer('shorter')
    await builtin.agent.request('session/set_mode', { sessionId: builtin.sessionId, modeId: 'all' })
    over.say()
    expect([await late, (await second).stopReason]).toEqual([notTaken, 'end_turn'])
    expect(JSON.stringify(model.requests)).not.toContain('shorter')
  })
})
