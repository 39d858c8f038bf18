import { rm } from 'node:fs/promises'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { talkUnderTest } from './talk-under-test.ts'

let hub: HubProcess
beforeAll(async () => {
  hub = await HubProcess.start()
})
afterAll(async () => {
  await hub.kill()
  await rm(hub.data, { recursive: true, force: true })
})

/** A user who types a line while the hub is away, and has been told that it waits. */
async function saysHelloToNobody() {
  const me = await talkUnderTest(hub)
  await me.sees('> begin')
  await hub.kill()
  await me.sees('The hub does not answer')
  me.type('say hello')
  await me.sees('waits here')
  return me
}

describe('a user whose hub goes away', { timeout: 120_000 }, () => {
  it('is told so, that what they type meanwhile waits, and when the hub is back', async () => {
    const me = await saysHelloToNobody()
    await hub.spawn()
    await me.sees('The hub answers again.')
    await me.sees('It comes next')
    await me.saysElsewhere('I saw it')
    await me.sees('> I saw it')
    expect(new Set(me.sent.map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"content":"say hello","when":"queue"}']),
    )
  })

  it('may leave at once, and is told that what waited was not sent', async () => {
    const me = await saysHelloToNobody()
    me.type('/detach')
    await me.sees('was not sent')
    expect(await me.talk).toEqual({ is: 'left' })
    await hub.spawn()
  })
})

it('a user who insists leaves, though their message was not sent and the cause is unknown', async () => {
  const me = await talkUnderTest(hub)
  await me.sees('> begin')
  const isSent = new Promise<void>((resolve) => {
    me.beforeItReturns(() => {
      resolve()
      return new Promise(() => {})
    })
  })
  me.type('say hello')
  await isSent
  me.type('/detach')
  await new Promise(setImmediate)
  me.type('/detach')
  expect(await me.talk).toEqual({ is: 'left' })
})

describe('that a message comes next', { timeout: 120_000 }, () => {
  it('is not said when its turn has begun already', async () => {
    const me = await talkUnderTest(hub)
    await me.sees('> begin')
    // Two who look at one screen would take from each other what they wait for.
    const isShown = new Promise<void>((resolve) => {
      me.beforeItReturns(async (id) => {
        await me.runnerSays('_posthog/turn_complete', { messageId: id - 1, stopReason: 'end_turn' })
        await me.runnerSays('_posthog/ack', { for: 'user_message', id })
        await me.runnerSays('agent_message_chunk', { text: 'hello\n' })
        await me.sees('hello')
        resolve()
      })
    })
    me.type('say hello')
    await isShown
    await me.asks('Really?')
    expect(await me.sees('? Really?')).not.toContain('It comes next')
  })
})
