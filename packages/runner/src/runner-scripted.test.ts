import type { Notification } from '@farhand/protocol/event'
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

describe('a runner whose agent leaves something to be told', () => {
  it('ends the tools that the agent never ended when their turn ends, as that does', async () => {
    const run = await hosting(({ update }, { prompt }: { prompt: { text: string }[] }) => {
      update({ sessionUpdate: 'tool_call', toolCallId: 'begun', title: 'Begun' })
      update({ sessionUpdate: 'tool_call', toolCallId: 'done', title: 'Done', status: 'in_progress' })
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'updated', status: 'in_progress' })
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'done', status: 'failed' })
      return { stopReason: prompt.at(-1)!.text }
    })
    await run.start()
    const first = await run.turn('end_turn')
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
})
