import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import { type Script, scripted } from './agent/agent-under-test.ts'
import { type HostedAgent, RunUnderTest, textOf } from './runner-under-test.ts'

/** Says which mode it is in, and changes a file without asking unless that is "careful". */
const script: Script = {
  'session/new': () => ({
    sessionId: 'own',
    modes: { currentModeId: 'free', availableModes: ['free', 'careful'].map((id) => ({ id, name: id })) },
  }),
  'session/set_mode': ({ process, update }, { modeId }: { modeId: string }) => {
    if (modeId !== 'free' && modeId !== 'careful') throw { code: -32602, message: `no mode ${modeId}` }
    process.env.MODE = modeId
    update({ sessionUpdate: 'current_mode_update', currentModeId: modeId })
    return {}
  },
  'session/prompt': async ({ process, say, update, fs, heard }) => {
    const mode = process.env.MODE ?? 'free'
    say(`I am ${mode}.`)
    if (mode === 'careful') return { stopReason: 'end_turn' }
    fs.writeFileSync('changed.txt', 'unasked')
    const tool = { toolCallId: 't', kind: 'edit', locations: [{ path: `${process.cwd()}/changed.txt` }] }
    update({ sessionUpdate: 'tool_call', title: 'Write changed.txt', status: 'pending', ...tool })
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' })
    if (process.env.GOES_ON) return { stopReason: 'end_turn' }
    await heard('session/cancel')
    return { stopReason: 'cancelled' }
  },
}

const deny = { base: 'deny', interactive: true }

/** One that is known to work unasked ends its turns by itself; the other one only when it is told to. */
async function hosting(asks?: HostedAgent['asks']): Promise<RunUnderTest> {
  const command = () => scripted(script, asks && { GOES_ON: '1' })
  const run = await RunUnderTest.begin({ id: 'free', command, ...(asks && { asks }) })
  await run.start()
  return run
}

const notes = (turn: readonly Notification[]) =>
  turn.filter(({ method }) => method === '_posthog/console').map(({ params }) => params?.message)

const says = (run: RunUnderTest, policy: unknown) =>
  run.say('_posthog/mode_change', { mode: 'interactive', policy })

describe('W36 a policy that denies', () => {
  it('puts an agent that works unasked into the mode in which it asks, and back when it does not deny any more', async () => {
    const run = await hosting({ unasked: 'edits files', denyMode: 'careful' })
    await says(run, deny)
    const denied = await run.turn('work')
    expect(textOf(denied)).toBe('I am careful.')
    expect(notes(denied)).toEqual([
      expect.stringMatching(/denies, and free edits files without asking.*"careful"/),
    ])
    await says(run, { base: 'allow-all', interactive: true })
    expect(textOf(await run.turn('work'))).toContain('I am free.')
  })

  it('counts for more than a mode that was chosen meanwhile', async () => {
    const run = await hosting({ unasked: 'edits files', denyMode: 'careful' })
    await says(run, deny)
    await run.turn('work')
    await run.say('session/set_mode', { modeId: 'free' })
    expect(textOf(await run.turn('work'))).toBe('I am careful.')
  })

  it.each([
    ['has no such mode', { unasked: 'edits files' }],
    ['does not take it', { unasked: 'edits files', denyMode: 'none' }],
  ])('lets an agent that %s do nothing, and says why', async (_, asks) => {
    const run = await hosting(asks)
    await says(run, deny)
    const turn = await run.turn('work')
    expect(textOf(turn)).toBe('')
    expect(turn.at(-1)?.params).toMatchObject({
      stopReason: 'failed',
      error: { message: expect.stringMatching(/policy of this run denies.*free edits files without asking/) },
    })
  })

  it('stops an agent that changes files without asking, and says so', async () => {
    const run = await hosting()
    await says(run, deny)
    const turn = await run.turn('work')
    expect(notes(turn)).toEqual([
      expect.stringMatching(/changed files without asking \(Write changed\.txt\).*Its turn was ended/),
    ])
    expect(turn.at(-1)?.params).toMatchObject({ stopReason: 'cancelled' })
    expect(
      (await run.until(({ notification }) => notification.method === '_posthog/file_change')).id,
    ).toBeGreaterThan(0)
  })
})

describe('an agent that works unasked', () => {
  it('is told of once in a run, where people would expect to be asked', async () => {
    const run = await hosting({ unasked: 'edits files', denyMode: 'careful' })
    const first = await run.turn('work')
    expect(notes(first)).toEqual([expect.stringMatching(/^free edits files without asking first\./)])
    await run.stop()
    await run.start()
    expect(notes(await run.turn('work'))).toEqual([])
  })
})
