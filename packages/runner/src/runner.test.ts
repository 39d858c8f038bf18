import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runStatus } from '@farhand/client/resources/resources'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RunUnderTest, textOf } from './runner-under-test.ts'

const is = (method: string) => (event: { notification: { method: string } }) =>
  event.notification.method === method

describe('a runner', () => {
  it('W29 works on a message from its ack to the end of its turn', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    const turn = await run.turn('say hello there')
    expect(turn[0]).toMatchObject({ method: '_posthog/ack' })
    expect(textOf(turn)).toContain('hello there')
    expect(turn.at(-1)).toMatchObject({
      method: '_posthog/turn_complete',
      params: { stopReason: 'end_turn' },
    })
  })

  it('shows what the agent writes as files of the run', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    await run.turn('write hello.txt with hi')
    expect(await readFile(join(run.workspace, 'hello.txt'), 'utf8')).toContain('hi')
    const change = await run.until(is('_posthog/file_change'))
    expect(JSON.stringify(change.notification.params)).toContain('hello.txt')
  })

  it('asks people what the agent asks, and the first answer reaches it', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    const turn = run.turn('ask permission to write secret.txt with one')
    const question = await run.until(is('_posthog/agent_question'))
    const { questionId, options } = question.notification.params as {
      questionId: string
      options: { optionId: string; name: string; kind: string }[]
    }
    const allow = options.find(({ kind }) => kind === 'allow_once')!
    await run.say('_posthog/user_response', { questionId, answer: allow.optionId })
    await run.say('_posthog/user_response', { questionId, answer: 'something else' })
    expect((await turn).at(-1)).toMatchObject({ params: { stopReason: 'end_turn' } })
    expect(await readFile(join(run.workspace, 'secret.txt'), 'utf8')).toContain('one')
    const closed = await run.until(is('_posthog/question_closed'))
    expect(closed.notification.params).toMatchObject({ questionId, how: 'answered' })
  })

  it('cancels the turn that is under way, and those that wait stay', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    const long = run.turn('think for 60 seconds')
    await run.until(is('agent_thought_chunk'))
    const next = run.turn('say next')
    await run.until(
      ({ notification: { method, params } }) =>
        method === '_posthog/user_message' && params?.content === 'say next',
    )
    await run.say('_posthog/cancel')
    expect((await long).at(-1)).toMatchObject({ params: { stopReason: 'cancelled' } })
    expect(textOf(await next)).toContain('next')
  })

  it('W29 continues once what a dying agent left, and then calls it interrupted', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    const turn = await run.turn('say before\ncrash')
    expect(turn.filter(({ method }) => method === '_posthog/ack')).toHaveLength(2)
    expect(turn.at(-1)).toMatchObject({ params: { stopReason: 'interrupted' } })
    expect(textOf(await run.turn('say after'))).toContain('after')
  })

  it('goes on under a new runner with the conversation that the one before had', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    await run.turn('remember colour is green')
    await run.stop()
    await run.start()
    expect(textOf(await run.turn('recall colour'))).toContain('green')
    const started = await run.until(
      ({ notification: { method, params } }) => method === '_posthog/agent_start' && params?.how !== 'new',
    )
    expect(started.notification.params).toMatchObject({ agent: 'rehearsal', how: 'resumed' })
  })

  it('gives an agent that takes the place of a dead one its conversation, also within one life of the runner', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    await run.turn('remember colour is green')
    await run.turn('crash')
    expect(textOf(await run.turn('recall colour'))).toContain('green')
  })

  it('tells an agent that cannot remember what was done before, and tells it once', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    await run.turn('remember then is long ago')
    await run.stop()
    await rm(join(run.state, 'agent'), { recursive: true })
    await run.start()
    const told = textOf(await run.turn('recall then'))
    expect(told).toContain('I have read what happened before.')
    expect(told).toContain('then is long ago.')
    expect(textOf(await run.turn('say second'))).toBe('second')
  })

  it('W30 supersedes the question of an agent that died with its runner, and asks anew', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    const turn = run.turn('ask permission to write a.txt with one')
    const first = await run.until(is('_posthog/agent_question'))
    await run.stop()
    await run.start()
    const second = await run.until((event) => event.id > first.id && is('_posthog/agent_question')(event))
    const closed = await run.until(is('_posthog/question_closed'))
    expect(closed.notification.params).toMatchObject({
      questionId: first.notification.params?.questionId,
      how: 'superseded',
    })
    await run.say('_posthog/user_response', {
      questionId: second.notification.params?.questionId,
      answer: 'yes',
    })
    expect((await turn).at(-1)).toMatchObject({ params: { stopReason: 'end_turn' } })
  })

  it('asks before it goes over a limit of the user’s, and goes on only if they say so', async () => {
    const run = await RunUnderTest.begin()
    await run.say('_posthog/run_limits', { turns: 1 })
    await run.start()
    await run.turn('say one')
    const turn = run.turn('say two')
    const question = await run.until(is('_posthog/agent_question'))
    const { questionId } = question.notification.params as { questionId: string }
    await run.say('_posthog/user_response', { questionId, answer: 'continue' })
    expect(textOf(await turn)).toContain('two')
    const third = run.turn('say three')
    const again = await run.until((event) => event.id > question.id && is('_posthog/agent_question')(event))
    await run.say('_posthog/user_response', {
      questionId: again.notification.params?.questionId,
      answer: 'stop',
    })
    expect((await third).at(-1)).toMatchObject({ params: { stopReason: 'limit' } })
  })

  it('stops an agent that costs too much in the middle of its turn, and asks', async () => {
    const run = await RunUnderTest.begin()
    await run.say('_posthog/run_limits', { costUsd: 1 })
    await run.start()
    const turn = run.turn('use 1000 tokens costing 2 dollars\nthink for 60 seconds')
    const question = await run.until(is('_posthog/agent_question'))
    expect(question.notification.params?.question).toContain('$2.00')
    await run.say('_posthog/user_response', {
      questionId: question.notification.params?.questionId,
      answer: 'stop',
    })
    expect((await turn).at(-1)).toMatchObject({ params: { stopReason: 'limit' } })
  })

  it('runs a command of a person once, and gives what it printed', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    await run.say('_posthog/shell', { id: 'one', command: 'echo hello; exit 3' })
    const end = await run.until(
      ({ notification: { method, params } }) =>
        method === '_posthog/sandbox_output' && params?.exitCode !== undefined,
    )
    expect(end.notification.params).toMatchObject({ id: 'one', exitCode: 3 })
  })

  it('tells the hub that it is alive while no event is written', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const run = await RunUnderTest.begin()
    const asked = new Set<string>()
    run.user.fetch = (address, init) => {
      asked.add(new URL(String(address)).pathname)
      return fetch(address, init)
    }
    await run.start()
    await run.turn('say hello there')
    expect(asked).not.toContain(paths.status(run.at))
    vi.advanceTimersByTime(60_000)
    expect(asked).toContain(paths.status(run.at))
  })

  it('ends when the run is closed, with its last words in the log', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    const turn = run.turn('think for 60 seconds')
    await run.until(is('agent_thought_chunk'))
    await run.say('_posthog/close')
    expect((await turn).at(-1)).toMatchObject({ params: { stopReason: 'cancelled' } })
    expect(await run.end).toBe('closed')
    // Not some time after it has gone: it has said that it is done.
    expect(await runStatus(run.user, run.at)).toMatchObject({ status: 'closed' })
  })
})
