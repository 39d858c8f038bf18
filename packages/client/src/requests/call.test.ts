import { hangUp, json, type Reply, refuse, roomIn, scriptedHub } from '@farhand/testkit/scripted-hub'
import { afterEach, describe, expect, it } from 'vitest'
import { type CallOptions, call } from './call.ts'

const fast: CallOptions = { backoff: { firstMs: 2, maxMs: 8 } }
const anything = { parse: (value: unknown) => value }

let close: () => Promise<void> = async () => {}
afterEach(() => close())

async function asking(options: CallOptions, ...replies: [Reply, ...Reply[]]) {
  const hub = await scriptedHub(...replies)
  close = hub.close
  const ask = () => call({ url: hub.url, token: 'secret' }, { path: '/' }, anything, { ...fast, ...options })
  return { hub, ask }
}

/** Takes its time, and then breaks all the same. */
const lateHangUp: Reply = async (response) => {
  await new Promise((resolve) => setTimeout(resolve, 120))
  response.destroy()
}

describe('call', () => {
  it('asks again after a try that alone took longer than its patience', async () => {
    const { ask } = await asking({ patienceMs: 60 }, lateHangUp, json(200, 'there'))
    expect(await ask()).toBe('there')
  })

  it('asks once only if it has no patience at all', async () => {
    const { hub, ask } = await asking({ patienceMs: 0 }, hangUp)
    await expect(ask()).rejects.toThrow('the connection failed')
    expect(hub.requests).toHaveLength(1)
  })

  it('does not wait for a hub that asks for more time than its patience', async () => {
    const busy = json(429, { error: { code: 'x', message: 'x', remedy: 'retry' } }, { 'retry-after': '100' })
    const { hub, ask } = await asking({ patienceMs: 10_000 }, busy)
    await expect(ask()).rejects.toMatchObject({ retryAfterMs: 100_000 })
    expect(hub.requests).toHaveLength(1)
  })

  it.each([301, 302, 307, 308])('does not follow a %i: its token must not travel', async (status) => {
    const elsewhere = await scriptedHub(json(200, 'stolen'))
    const away: Reply = (response) => void response.writeHead(status, { location: elsewhere.url }).end()
    const { ask } = await asking({}, away, refuse(404, 'run.unknown', 'give-up'))
    await expect(ask()).rejects.toMatchObject({ code: 'run.unknown' })
    expect(elsewhere.requests).toEqual([])
    await elsewhere.close()
  })

  it.each([200, 404])('does not fill the memory with a %i that has no end', async (status) => {
    let written = 0
    const endless: Reply = async (response) => {
      response.writeHead(status)
      while (!response.destroyed && written < 400) {
        written++
        if (!response.write('x'.repeat(1024 * 1024))) await roomIn(response)
      }
    }
    const { ask } = await asking({}, endless, json(200, 'there'))
    expect(await ask()).toBe('there')
    expect(written).toBeLessThan(status === 200 ? 200 : 64)
  })
})
