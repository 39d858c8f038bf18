import { hangUp, json, type Reply, refuse, scriptedHub, someRun } from '@farhand/testkit/scripted-hub'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryOutbox } from './memory-outbox.ts'
import { outboxContract } from './outbox.contract.ts'
import type { Unsent } from './outbox.ts'
import { sendFromOutbox } from './send-from-outbox.ts'

outboxContract('memoryOutbox', async () => memoryOutbox())

const fast = { backoff: { firstMs: 2, maxMs: 8 } }
const message = (key: string): Unsent => ({
  key,
  at: someRun,
  notification: { jsonrpc: '2.0', method: '_posthog/user_message', params: { content: `text of ${key}` } },
})

let close: () => Promise<void> = async () => {}
afterEach(() => close())

/** A hub that stores a message once per key, and loses the answers it is told to lose. */
async function storingHub(lost: ReadonlySet<number> = new Set()) {
  const stored: string[] = []
  const take: Reply = (response, request) => {
    const key = String(request.headers['idempotency-key'])
    if (!stored.includes(key)) stored.push(key)
    const id = stored.indexOf(key) + 1
    return (lost.has(hub.requests.length) ? hangUp : json(202, { lastEventId: id, ids: [id] }))(
      response,
      request,
    )
  }
  const hub = await scriptedHub(take)
  close = hub.close
  return { hub, stored }
}

async function filled(...keys: string[]) {
  const outbox = memoryOutbox()
  for (const key of keys) await outbox.put(message(key))
  return outbox
}

describe('sendFromOutbox', () => {
  it('sends what waits in order, and leaves nothing behind', async () => {
    const { hub, stored } = await storingHub()
    const outbox = await filled('a', 'b', 'c')
    const sent: [string, number][] = []
    await sendFromOutbox({ url: hub.url }, someRun, outbox, { onSent: ({ key }, id) => sent.push([key, id]) })
    expect(stored).toEqual(['a', 'b', 'c'])
    expect(sent).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ])
    expect(await outbox.list(someRun.run)).toEqual([])
  })

  it('W9 stores each message once when answers are lost', async () => {
    const { hub, stored } = await storingHub(new Set([1, 2, 4]))
    await sendFromOutbox({ url: hub.url }, someRun, await filled('a', 'b'), fast)
    expect(stored).toEqual(['a', 'b'])
    expect(hub.requests).toHaveLength(5)
  })

  it('W9 stores each message once when the page dies after sending and before forgetting', async () => {
    const { hub, stored } = await storingHub()
    const outbox = await filled('a', 'b')
    const dying = { ...outbox, remove: () => Promise.reject(new Error('the page was closed')) }
    await expect(sendFromOutbox({ url: hub.url }, someRun, dying)).rejects.toThrow('the page was closed')
    await sendFromOutbox({ url: hub.url }, someRun, outbox)
    expect(stored).toEqual(['a', 'b'])
    expect(hub.requests).toHaveLength(3)
  })

  it('keeps a message that the hub refuses, and those behind it, for their writer to decide', async () => {
    const hub = await scriptedHub(refuse(404, 'run.closed', 'fix-request'))
    close = hub.close
    const outbox = await filled('a', 'b')
    await expect(sendFromOutbox({ url: hub.url }, someRun, outbox)).rejects.toMatchObject({
      code: 'run.closed',
    })
    expect((await outbox.list(someRun.run)).map(({ key }) => key)).toEqual(['a', 'b'])
  })

  it('stops with the reason of its signal and loses nothing', async () => {
    const hub = await scriptedHub(hangUp)
    close = hub.close
    const outbox = await filled('a')
    const controller = new AbortController()
    const onTrouble = () => controller.abort(new Error('page hidden'))
    const sending = sendFromOutbox({ url: hub.url }, someRun, outbox, {
      signal: controller.signal,
      onTrouble,
    })
    await expect(sending).rejects.toThrow('page hidden')
    expect(await outbox.list(someRun.run)).toHaveLength(1)
  })
})
