import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import { Producer } from '@farhand/client/post/producer'
import { beginRunner } from '@farhand/client/resources/resources'
import { readRunState } from '@farhand/device/handoff/handoff-run'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { hubForTests, RunUnderTest } from '@farhand/sync/hub/run-under-test'
import { lockState } from '@farhand/sync/state/lock-state'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { handOver } from './hand-over.ts'
import { handoffReporter } from './handoff-reporter.ts'

let hub: Awaited<ReturnType<typeof hubForTests>>
beforeAll(async () => {
  hub = await hubForTests()
})
afterAll(() => hub.close())

/** A run with a runner here that this test is: it has the run, and says what the test says. */
async function hostedHere() {
  const run = await RunUnderTest.on(hub.hub)
  const { token, generation } = await beginRunner(run.hub, run.at, {})
  const state = new StateFolder(await temporaryFolder())
  const runs = new KnownRuns(state.root)
  const lock = lockState(runs.placeOf(run.at.run))
  onTestFinished(() => void ('release' in lock && lock.release()))
  const handoff = {
    hub: { ...run.hub, token: hub.hub.token },
    at: run.at,
    known: null,
    agent: 'rehearsal',
    isOurs: true,
    workspace: await temporaryFolder(),
    kind: 'process',
    runs,
    state,
  }
  return { handoff, runner: { ...run.hub, token }, generation }
}

it('a runner here that neither answers nor ends is given up, by its number, and the run stays with it', async () => {
  const { handoff } = await hostedHere()
  const before = await readRunState(handoff, new AbortController().signal)
  const context = testContext()
  const handing = handOver('cloud', handoff, {}, handoffReporter({}, context), context, { rest: 1, end: 1 })
  await expect(handing).rejects.toMatchObject({
    exit: 'failed',
    message: expect.stringMatching(`process ${process.pid}, does not answer`),
    nextStep: expect.stringContaining(`kill -9 ${process.pid}`),
  })
  expect(await readRunState(handoff, new AbortController().signal)).toEqual(before)
})

const event = (method: string, params: Record<string, unknown>) => ({
  jsonrpc: '2.0' as const,
  method,
  params,
})

/** The same with a runner that listens, and a turn under way for the first of so many messages. */
async function atWork(messages: number) {
  const { handoff, runner, generation } = await hostedHere()
  const { at } = handoff
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const hearing = follow(runner, at, { to: 'agent', signal: over.signal })
  void (async () => {
    for await (const _ of hearing);
  })().catch(() => {})
  const ids: number[] = []
  for (let nth = 0; nth < messages; nth += 1)
    ids.push((await post(handoff.hub, at, event('_posthog/user_message', { content: 'go' }))).lastEventId)
  const producer = new Producer(runner, at, { id: 'runner', epoch: generation, signal: over.signal })
  const says = (method: string, params: Record<string, unknown>) => producer.send(event(method, params))
  const takes = (id: number) => says('_posthog/ack', { for: '_posthog/user_message', id })
  await takes(ids[0]!)
  await vi.waitFor(
    async () => expect((await readRunState(handoff, over.signal)).standing.isHeard).toBe(true),
    30_000,
  )
  return { handoff, ids, says, takes, over }
}

/** Hands it over, with a user who gives these answers. */
function handing({ handoff, over }: Awaited<ReturnType<typeof atWork>>, ...answers: string[]) {
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return answers.shift() ?? 'q'
  }
  const context = testContext({ ask, stop: over.signal })
  const ended = handOver('cloud', handoff, {}, handoffReporter({}, context), context)
  const noted = (words: string) =>
    vi.waitFor(() => expect(context.ran().notes).toContain(words), { timeout: 30_000 })
  return { asked, ended, noted }
}

it('the user is asked once about a running turn, no matter how often the command looks at it', async () => {
  const run = await atWork(1)
  const { asked, ended, noted } = handing(run, 'w')
  await noted('Waiting for the end of the current turn')
  await run.says('_posthog/agent_question', { questionId: 'qst_12345678', question: 'Which?' })
  await noted('Its agent asks something')
  expect(asked).toHaveLength(1)
  run.over.abort()
  await expect(ended).rejects.toBeDefined()
})

it('a user who has cancelled a turn is asked again about the next one, which may be another user’s', async () => {
  const run = await atWork(2)
  const { handoff, ids, over } = run
  const { asked, ended, noted } = handing(run, 'c', 'w')
  await noted('is cancelled')
  for await (const { notification } of follow(handoff.hub, handoff.at, { signal: over.signal }))
    if (notification.method === '_posthog/cancel') break
  await run.takes(ids[1]!)
  await run.says('_posthog/turn_complete', { messageId: ids[0], stopReason: 'cancelled' })
  await noted('Waiting for the end of the current turn')
  expect(asked).toHaveLength(2)
  run.over.abort()
  await expect(ended).rejects.toBeDefined()
})
