import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { describe, expect, it } from 'vitest'
import { scripted } from './agent/agent-under-test.ts'
import type { FileChanged } from './briefing/files-changed-notice.ts'
import { RunUnderTest, textOf } from './runner-under-test.ts'

type Seen = { notification: { method: string; params?: Record<string, unknown> | undefined } }
const acks =
  (messageId: number) =>
  ({ notification: { method, params } }: Seen) =>
    method === '_posthog/ack' && params?.id === messageId
const ends =
  (messageId: number) =>
  ({ notification: { method, params } }: Seen) =>
    method === '_posthog/turn_complete' && params?.messageId === messageId

/** A run in which the agent is at work until there is a file called go. */
async function atWork(run: RunUnderTest) {
  await run.start()
  const messageId = await run.say('_posthog/user_message', { content: 'wait for go to exist\nsay first' })
  await run.until(({ notification: { method } }) => method === 'agent_message_chunk')
  return { messageId, go: () => writeFile(join(run.workspace, 'go'), '') }
}

/** When the message was taken on and ended, and with which turn; and how often the agent then did what it asks. */
async function toldOf(run: RunUnderTest, messageId: number) {
  const marks: unknown[] = []
  let words = ''
  for await (const event of readLog(run.user, run.at)) {
    const { method, params } = event.notification
    if (acks(messageId)(event)) marks.push(['ack', params?.into ?? null])
    if (ends(messageId)(event)) marks.push([params?.stopReason, params?.into ?? null])
    // Where one piece ends and the next begins is left to chance.
    if (method === 'agent_message_chunk') words += params?.text
  }
  return { marks, times: words.match(/(?<!say )second/g)?.length ?? 0 }
}

describe('a message that redirects', () => {
  it('W29 joins the turn of an agent that can hear it, which goes on, and ends with it', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    const content = `say first\n${'wait for 0.02 seconds\n'.repeat(3000)}`
    const messageId = await run.say('_posthog/user_message', { content })
    await run.until(({ notification: { method } }) => method === 'agent_message_chunk')
    const steered = { content: 'say second. stop with end_turn', when: 'steer' }
    const second = await run.say('_posthog/user_message', steered)
    const end = await run.until(ends(second))
    expect(await toldOf(run, second)).toEqual({
      marks: [
        ['ack', messageId],
        ['end_turn', messageId],
      ],
      times: 1,
    })
    expect((await run.until(ends(messageId))).id).toBeLessThan(end.id)
    expect(textOf(await run.turn('say third'))).toBe('third')
  })

  it('W29 is continued once, with the turn that it joined, when their runner has died', async () => {
    const run = await RunUnderTest.begin()
    const { messageId, go } = await atWork(run)
    const second = await run.say('_posthog/user_message', { content: 'say second', when: 'steer' })
    await run.until(acks(second))
    await run.stop()
    await go()
    await run.start()
    await run.until(ends(second))
    const ack = ['ack', messageId]
    expect(await toldOf(run, second)).toEqual({ marks: [ack, ack, ['end_turn', messageId]], times: 1 })
  })

  it('W29 has a turn of its own when the one that it joined was over before the agent had heard it, and tells of files then', async () => {
    const run = await RunUnderTest.begin({
      id: 'scripted',
      command: () =>
        scripted({
          initialize: () => ({ protocolVersion: 1, _meta: { steering: { supported: true } } }),
          'session/prompt': async ({ say, heard }, { prompt }: { prompt: { text: string }[] }) => {
            say(prompt.map(({ text }) => text).join('|'))
            if (prompt[0]?.text === 'first') await heard('_end')
            return { stopReason: 'end_turn' }
          },
          '_session/steering': ({ send }) => {
            // As if it had ended its turn at the very moment.
            send({ id: 3, result: { stopReason: 'end_turn' } })
          },
        }),
    })
    const changed: FileChanged[] = []
    await run.start(undefined, () => changed.splice(0))
    const first = await run.say('_posthog/user_message', { content: 'first' })
    await run.until(({ notification: { method } }) => method === 'agent_message_chunk')
    changed.push({ path: 'edited.txt', by: 'someone' })
    const second = await run.say('_posthog/user_message', { content: 'second', when: 'steer' })
    await run.until(ends(second))
    expect(await toldOf(run, second)).toEqual({
      marks: [
        ['ack', first],
        ['ack', null],
        ['end_turn', null],
      ],
      times: 1,
    })
    const words = await run.until(({ notification }) => textOf([notification]).includes('second'))
    expect(textOf([words.notification])).toContain('edited.txt')
  })

  it('W29 has an end when the run is closed before the agent has heard it', async () => {
    const run = await RunUnderTest.begin()
    await run.start()
    const content = 'ask "Which?" with options red, blue'
    const messageId = await run.say('_posthog/user_message', { content })
    await run.until(({ notification: { method } }) => method === '_posthog/agent_question')
    // An agent that waits for an answer hears nothing else.
    const second = await run.say('_posthog/user_message', { content: 'say second', when: 'steer' })
    await run.until(acks(second))
    await run.say('_posthog/close')
    expect(await run.end).toBe('closed')
    expect(await toldOf(run, second)).toEqual({
      marks: [
        ['ack', messageId],
        ['cancelled', null],
      ],
      times: 0,
    })
  })

  it('ends the turn of an agent that cannot hear it, and goes first', async () => {
    const run = await RunUnderTest.begin({
      id: 'scripted',
      command: () =>
        scripted({
          'session/prompt': async ({ say, heard }, { prompt }: { prompt: { text: string }[] }) => {
            say(prompt.map(({ text }) => text).join('|'))
            if (prompt[0]?.text !== 'first') return { stopReason: 'end_turn' }
            await heard('session/cancel')
            return { stopReason: 'cancelled' }
          },
        }),
    })
    await run.start()
    const first = await run.say('_posthog/user_message', { content: 'first' })
    await run.until(({ notification: { method } }) => method === 'agent_message_chunk')
    const queued = await run.say('_posthog/user_message', { content: 'third' })
    const second = await run.say('_posthog/user_message', { content: 'second', when: 'steer' })
    const end = await run.until(ends(second))
    expect((await run.until(ends(first))).notification.params).toMatchObject({ stopReason: 'cancelled' })
    expect(await toldOf(run, second)).toEqual({
      marks: [
        ['ack', null],
        ['end_turn', null],
      ],
      times: 1,
    })
    expect((await run.until(ends(queued))).id).toBeGreaterThan(end.id)
  })
})
