import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { type Script, scripted } from './agent/agent-under-test.ts'
import { RunUnderTest } from './runner-under-test.ts'

/** A run whose agent does, in each turn, what this does: it sees nothing but its arguments. */
function hosting(prompt: Script[string]): Promise<RunUnderTest> {
  const script: Script = { 'session/prompt': prompt! }
  return RunUnderTest.begin({ id: 'scripted', command: () => scripted(script) })
}

const said = (turn: readonly Notification[], ...methods: string[]) =>
  turn.filter(({ method }) => methods.includes(method)).map(({ method, params }) => ({ method, ...params }))

/** Has sessions as long as its folder is there, and answers every message but `hang`. */
const forgetful: Script = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  'session/new': ({ fs, process }) => {
    fs.mkdirSync(process.env.AGENT_HOME!, { recursive: true })
    fs.writeFileSync(`${process.env.AGENT_HOME}/s${process.pid}`, '')
    return { sessionId: `s${process.pid}` }
  },
  'session/resume': ({ fs, process }, { sessionId }: { sessionId: string }) => {
    if (!fs.existsSync(`${process.env.AGENT_HOME}/${sessionId}`)) throw { code: -32002, message: 'gone' }
    return {}
  },
  'session/prompt': ({ say }, { prompt }: { prompt: { text: string }[] }) => {
    say(`I was told: ${prompt.map(({ text }) => text).join(' | ')}`)
    return prompt.at(-1)!.text === 'hang' ? undefined : { stopReason: 'end_turn' }
  },
}

describe('a runner whose agent may have forgotten', () => {
  it('W29 tells it again what was done, once more with the message that was cut short', async () => {
    const run = await RunUnderTest.begin({
      id: 'forgetful',
      command: (home) => scripted(forgetful, { AGENT_HOME: home }),
    })
    const told = (count: number) =>
      run.until(({ notification: { method } }) => method === 'agent_message_chunk' && --count === 0)
    await run.start()
    await run.turn('long ago')
    await run.stop()
    await rm(join(run.state, 'agent'), { recursive: true })
    await run.start()
    await run.say('_posthog/user_message', { content: 'hang' })
    expect((await told(2)).notification.params?.text).toMatch(/take over work.*long ago.*hang/s)
    await run.stop()
    await run.start()
    expect((await told(3)).notification.params?.text).toMatch(/take over work.*long ago.*hang/s)
  })
})

describe('a runner whose agent leaves something to be told', () => {
  it('says of a turn in which the agent only greeted that nothing came of it: its model may have failed', async () => {
    const run = await RunUnderTest.begin({
      id: 'scripted',
      command: () =>
        scripted({
          'session/new': () => ({ sessionId: 'own', _meta: { piAcp: { startupInfo: 'pi v1\n' } } }),
          // Pi says it whenever it comes to it, which may be in the turn.
          'session/prompt': ({ say }, { prompt }: { prompt: { text: string }[] }) => {
            say('pi v1\n')
            if (prompt.at(-1)!.text === 'speak') say('here I am')
            return { stopReason: 'end_turn' }
          },
        }),
    })
    await run.start()
    const end = (await run.turn('fail')).at(-1)?.params
    expect(end?.error).toMatchObject({ message: expect.stringContaining('Its model may have failed') })
    expect((await run.turn('speak')).at(-1)?.params?.error).toBeUndefined()
  })

  it('ends the tools that the agent never ended when their turn ends, as that does, and says that no cost is told', async () => {
    const run = await hosting(({ update }, { prompt }: { prompt: { text: string }[] }) => {
      update({ sessionUpdate: 'tool_call', toolCallId: 'begun', title: 'Begun' })
      update({ sessionUpdate: 'tool_call', toolCallId: 'done', title: 'Done', status: 'in_progress' })
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'updated', status: 'in_progress' })
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'done', status: 'failed' })
      return { stopReason: prompt.at(-1)!.text }
    })
    await run.say('_posthog/run_limits', { costUsd: 5 })
    await run.start()
    const first = await run.turn('end_turn')
    expect(said(first, '_posthog/console')).toMatchObject([{ level: 'warn', about: 'cost-untold' }])
    expect(said(first, 'tool_result')).toMatchObject([
      { toolCallId: 'done', status: 'failed' },
      { toolCallId: 'begun', status: 'completed', _meta: { 'farhand/endedBy': 'end_turn' } },
      { toolCallId: 'updated', status: 'completed' },
    ])
    expect(first.at(-1)?.method).toBe('_posthog/turn_complete')
    expect(
      (await run.turn('refusal')).flatMap(({ method, params }) =>
        method === 'tool_result' ? [params?.status] : [],
      ),
    ).toEqual(['failed', 'failed', 'failed'])
  })

  it('shows what a permission is for, even if only the request itself tells it', async () => {
    const run = await hosting(async ({ ask }) => {
      const content = [{ type: 'diff', path: '/a.txt', newText: 'hello' }]
      const toolCall = { toolCallId: 'write', title: 'Write a.txt', kind: 'edit', content }
      const options = [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ]
      await ask('session/request_permission', { sessionId: 'own', toolCall, options })
      return { stopReason: 'end_turn' }
    })
    await run.start()
    const turn = run.turn('go')
    const question = await run.until(({ notification }) => notification.method === '_posthog/agent_question')
    const { questionId, toolCallId } = question.notification.params as Record<string, string>
    await run.say('_posthog/user_response', { questionId, answer: 'no' })
    expect(said(await turn, 'tool_call', '_posthog/agent_question', 'tool_result')).toMatchObject([
      { method: 'tool_call', toolCallId, status: 'pending', content: [{ type: 'diff', newText: 'hello' }] },
      { method: '_posthog/agent_question' },
      { method: 'tool_result', toolCallId, status: 'failed', _meta: { 'farhand/endedBy': 'refused' } },
    ])
  })
})
