import { onTestFinished as after, describe, expect, it } from 'vitest'
import { type Reply, scriptedHub } from './scripted-hub.ts'
import { type Outcome, type PassingRequest, watchedProxy } from './watched-proxy.ts'

const stored: Reply = (response) => {
  response.writeHead(202, { 'content-type': 'application/json' }).end('{"lastEventId":1}')
}

async function wayTo(reply: Reply, watch: (passing: PassingRequest) => Promise<Outcome>) {
  const hub = await scriptedHub(reply)
  const way = await watchedProxy(Number(new URL(hub.url).port), watch)
  after(async () => {
    await way.close()
    await hub.close()
  })
  return { hub, url: `${way.url}/runs/1/sync` }
}

const post = (url: string, signal?: AbortSignal) =>
  fetch(url, { method: 'POST', body: 'one\ntwo', ...(signal && { signal }) })

describe('a watched way', () => {
  it('shows what is written when it has left and when it is stored, and passes it on', async () => {
    const met: PassingRequest[] = []
    const { url } = await wayTo(stored, async (passing) => {
      met.push(passing)
      return 'passes'
    })
    expect(await (await post(url)).text()).toBe('{"lastEventId":1}')
    const lines = ['one', 'two']
    expect(met).toEqual([
      { at: 'leaving', lines },
      { at: 'stored', lines },
    ])
  })

  it('loses a request if told to, before it arrives or before the sender gets the answer', async () => {
    for (const where of ['leaving', 'stored'] as const) {
      const { hub, url } = await wayTo(stored, async ({ at }) => (at === where ? 'is lost' : 'passes'))
      await expect(post(url)).rejects.toThrow()
      expect(hub.requests.length).toBe(where === 'leaving' ? 0 : 1)
    }
  })

  it('delivers what a sender wrote that has died since', async () => {
    const sender = new AbortController()
    const { hub, url } = await wayTo(stored, async () => {
      sender.abort()
      return 'passes'
    })
    await expect(post(url, sender.signal)).rejects.toThrow()
    expect((await hub.request(1)).body.toString()).toBe('one\ntwo')
  })

  it('shows nothing of what is only read, and ends it with the hub', async () => {
    const begin: Reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n', () => response.destroy())
    }
    const { url } = await wayTo(begin, () => Promise.reject(new Error('nothing was written')))
    const reader = (await fetch(url)).body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: 1\n\n')
    await expect(reader.read()).rejects.toThrow()
  })
})
