import { json, type Reply, roomIn, someRun } from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import type { CallOptions } from '../requests/call.ts'
import { hubThat } from '../requests/hub-under-test.ts'
import { readLog } from './read-log.ts'

const fast = { backoff: { firstMs: 2, maxMs: 8 } }

describe('readLog', () => {
  const root = `/api/projects/${someRun.project}/tasks/${someRun.task}/runs/${someRun.run}`
  const line = (id: number) =>
    `${JSON.stringify({
      id,
      type: 'notification',
      timestamp: '2026-11-15T10:00:00.000Z',
      notification: { jsonrpc: '2.0', method: '_test/event', params: { text: 'grüße' } },
      by: { kind: 'hub' },
    })}\n`
  const log =
    (text: string, last: 'end' | 'destroy' = 'end'): Reply =>
    (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(text, () => setImmediate(() => response[last]()))
    }
  const ids = async (url: string, after?: number, options: CallOptions = {}) => {
    const seen: number[] = []
    for await (const { id } of readLog({ url }, someRun, { ...fast, ...options, ...(after && { after }) }))
      seen.push(id)
    return seen
  }

  it('W24b reads the stored events after a cursor', async () => {
    const hub = await hubThat(log(line(8) + line(9)))
    expect(await ids(hub.url, 7)).toEqual([8, 9])
    expect(hub.requests[0]).toMatchObject({ path: `${root}/sync/log` })
    expect(hub.requests[0]?.query.get('after')).toBe('7')
  })

  it('continues after the last whole line when the connection breaks', async () => {
    const all = [1, 2, 3, 4, 5].map(line).join('')
    const rest: Reply = (response, request) =>
      log(
        [1, 2, 3, 4, 5]
          .filter((id) => id > Number(request.query.get('after')))
          .map(line)
          .join(''),
      )(response, request)
    const hub = await hubThat(log(all.slice(0, 400), 'destroy'), log(all.slice(0, 0), 'destroy'), rest)
    expect(await ids(hub.url)).toEqual([1, 2, 3, 4, 5])
  })

  it('does not pass over an event that is missing', async () => {
    const hub = await hubThat(log(line(1) + line(3)), log(line(2) + line(3)))
    expect(await ids(hub.url)).toEqual([1, 2, 3])
  })

  it('is empty where the log ends', async () => {
    const hub = await hubThat(log(''))
    expect(await ids(hub.url, 3)).toEqual([])
  })

  it('treats half a line as one that did not arrive, even if the answer ended cleanly', async () => {
    const whole = line(2)
    const hub = await hubThat(log(line(1) + whole.slice(0, -1)), log(whole))
    expect(await ids(hub.url)).toEqual([1, 2])
    expect(hub.requests[1]?.query.get('after')).toBe('1')
  })

  it('waits as long as the hub asks it to', async () => {
    const busy = json(503, { error: { code: 'x', message: 'x', remedy: 'retry' } }, { 'retry-after': '1' })
    const hub = await hubThat(busy, log(line(1)))
    const pauses: number[] = []
    expect(await ids(hub.url, 0, { onTrouble: (_, ms) => pauses.push(ms) })).toEqual([1])
    expect(pauses).toEqual([1000])
  })

  it('does not fill the memory with a line that has no end', async () => {
    let written = 0
    const endless: Reply = async (response) => {
      response.writeHead(200)
      while (!response.destroyed && written < 64) {
        if (!response.write('x'.repeat(1024 * 1024))) await roomIn(response)
        written++
      }
    }
    const hub = await hubThat(endless, log(line(1)))
    expect(await ids(hub.url)).toEqual([1])
    expect(written).toBeLessThan(64)
  })
})
