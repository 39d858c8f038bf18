import type { ListedRun } from '@farhand/protocol/schemas/api'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chunk, HubUnderTest, message, notification, ReadStream } from '../hub-under-test.ts'

async function changes(hub: HubUnderTest, headers: Record<string, string> = { Accept: 'text/event-stream' }) {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const answer = await fetch(new URL(paths.runChanges(), hub.hub.url), {
    headers: { Authorization: `Bearer ${hub.token}`, ...headers },
    signal: gone.signal,
  })
  return new ReadStream(answer, () => gone.abort())
}

const nextRun = async (stream: ReadStream) => {
  const all = await stream.until(({ event }) => event === 'run')
  return JSON.parse(all.at(-1)!.data!) as ListedRun
}

/** All that is told up to the run that is like this: what comes slowly is not gathered into one look, but told by and by. */
async function runsUntil(stream: ReadStream, isLike: (run: ListedRun) => boolean): Promise<ListedRun[]> {
  const told = [await nextRun(stream)]
  while (!isLike(told.at(-1)!)) told.push(await nextRun(stream))
  return told
}

const ack = (id: number) => notification('_posthog/ack', { for: '_posthog/user_message', id })
const over = (messageId: number) =>
  notification('_posthog/turn_complete', { messageId, stopReason: 'end_turn' })

describe('changes in the list of runs', () => {
  it('W48 are sent as they happen: begun, working, waiting for an answer, done, renamed, archived', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const stream = await changes(hub)
    expect(await stream.next()).toMatchObject({ event: 'live' })
    const { token } = await hub.runner(at)
    expect(await nextRun(stream)).toMatchObject({ id: at.run, title: 't', now: { status: 'active' } })
    await hub.post(at, message('hello'))
    await hub.post(at, ack(2), { token })
    const untilWork = await runsUntil(stream, ({ now }) => now?.agentStatus === 'thinking')
    expect(untilWork.length).toBeLessThanOrEqual(2)
    expect(untilWork.at(-1)).toMatchObject({ now: { turns: 0 } })
    const asked = { questionId: 'qst_00000001', question: 'Which?', kind: 'question' }
    await hub.post(at, notification('_posthog/agent_question', asked), { token })
    expect(await nextRun(stream)).toMatchObject({ now: { agentStatus: 'waiting', questions: 1 } })
    await hub.post(at, over(2), { token })
    expect(await nextRun(stream)).toMatchObject({
      now: { turns: 1, stopReason: 'end_turn', turnSince: null },
    })
    await hub.ask('PUT', paths.runTitle(at.run), { body: { title: 'Better' } })
    expect(await nextRun(stream)).toMatchObject({ title: 'Better' })
    await hub.ask('PUT', paths.runArchived(at.run), { body: { isArchived: true } })
    expect(await nextRun(stream)).toMatchObject({ isArchived: true })
    await hub.ask('PUT', paths.runMuted(at.run), { body: { isMuted: true } })
    expect(await nextRun(stream)).toMatchObject({ isMuted: true })
  })

  it('W56 how far a user has read a run is told to all devices of that user, and never goes back', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const stream = await changes(hub)
    await stream.next()
    const activeAt = '2026-01-01T00:00:00.000Z'
    const read = (event: number) => hub.ask('PUT', paths.runSeen(at.run), { body: { event, activeAt } })
    expect((await read(7)).status).toBe(200)
    expect(await nextRun(stream)).toMatchObject({ seen: { event: 7, activeAt } })
    await read(3)
    await hub.ask('PUT', paths.runTitle(at.run), { body: { title: 'Read' } })
    expect(await nextRun(stream)).toMatchObject({ title: 'Read', seen: { event: 7 } })
  })

  it('W48 an agent that only writes changes nothing in it, and a new run does', async () => {
    const hub = await HubUnderTest.start()
    const at: RunAddress = await hub.run()
    const { token } = await hub.runner(at)
    await hub.post(at, message('hello'))
    await hub.post(at, ack(2), { token })
    const stream = await changes(hub)
    await stream.next()
    await hub.post(at, chunk('a'), { token })
    const first = await nextRun(stream)
    expect(first).toMatchObject({ id: at.run, now: { agentStatus: 'thinking' } })
    for (const text of 'bcdefg') await hub.post(at, chunk(text), { token })
    const other = await hub.run({ prompt: 'go' })
    // What had been said of the first run would have come before.
    const told = await runsUntil(stream, ({ now }) => now?.lastEventId === 1)
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set([other.run]))
    // A list shows it from the beginning, though nothing has been said in it.
    const silent = await hub.run()
    const begun = await runsUntil(stream, ({ id }) => id === silent.run)
    expect(begun.at(-1)).toMatchObject({ now: { lastEventId: 0 } })
    expect(begun.map(({ id }) => id)).not.toContain(at.run)
    // No runner works on it yet, but now a message waits in it.
    await hub.post(silent, message('hello'))
    expect(await nextRun(stream)).toMatchObject({ id: silent.run, now: { lastEventId: 1 } })
  })

  it('W16 is a stream, and a request for another content type is refused', async () => {
    const hub = await HubUnderTest.start()
    expect((await changes(hub, { Accept: 'application/json' })).answer.status).toBe(406)
  })
})
