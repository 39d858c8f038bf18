import { randomBytes } from 'node:crypto'
import { hangUp, json, type Reply, type ScriptedHub, scriptedHub } from '@farhand/testkit/scripted-hub'
import { describe, expect, it, onTestFinished } from 'vitest'

/** What has to be there for a way to a hub besides the hub itself. */
type Prepare = (hub: ScriptedHub) => Promise<void>

async function readAll(response: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  const reader = response.body!.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value)
  return Buffer.concat(pieces)
}

const bytes = randomBytes(3_000_000)
const manual = { redirect: 'manual', cache: 'no-store' } as const

/** What the client relies on in each way to send its requests. */
export function fetchContract(
  name: string,
  fetch: typeof globalThis.fetch,
  prepare: Prepare = async () => {},
): void {
  const hubThat = async (...replies: [Reply, ...Reply[]]): Promise<ScriptedHub> => {
    const hub = await scriptedHub(...replies)
    onTestFinished(() => hub.close())
    await prepare(hub)
    return hub
  }

  describe(`${name} as a way to a hub`, () => {
    it('gives the head of the answer, and then its body', async () => {
      const hub = await hubThat(json(202, { ids: [1] }, { 'retry-after': '7' }))
      const response = await fetch(`${hub.url}/a/b?c=d%20e`, {
        method: 'POST',
        headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
        body: '{"ü":1}',
        ...manual,
      })
      expect(response).toMatchObject({ ok: true, status: 202, statusText: 'Accepted' })
      expect(response.headers.get('Retry-After')).toBe('7')
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('x-nothing')).toBeNull()
      expect((await readAll(response)).toString()).toBe('{"ids":[1]}')
      const [request] = hub.requests
      expect(request).toMatchObject({ method: 'POST', path: '/a/b', headers: { authorization: 'Bearer t' } })
      expect(request?.query.get('c')).toBe('d e')
      expect(request?.body.toString()).toBe('{"ü":1}')
    })

    it('gives a refusal as an answer like any other, and follows no redirect', async () => {
      const hub = await hubThat(json(404, { error: 'x' }), json(302, {}, { location: '/elsewhere' }))
      const refused = await fetch(hub.url, manual)
      expect(refused).toMatchObject({ ok: false, status: 404 })
      expect(await refused.json()).toEqual({ error: 'x' })
      const moved = await fetch(hub.url, manual)
      expect(moved.ok).toBe(false)
      await readAll(moved)
      expect(hub.requests).toHaveLength(2)
    })

    it.each([
      ['bytes', bytes],
      ['a blob', new Blob([bytes])],
    ])('sends %s as they are, and says how many', async (_, body) => {
      const hub = await hubThat(json(201, {}))
      const response = await fetch(hub.url, { method: 'PUT', body, ...manual })
      await response.arrayBuffer()
      expect(hub.requests[0]?.body.equals(bytes)).toBe(true)
      expect(hub.requests[0]?.headers['content-length']).toBe(String(bytes.length))
    })

    it('sends nothing as nothing', async () => {
      const hub = await hubThat(json(202, {}))
      await readAll(await fetch(hub.url, { method: 'DELETE', ...manual }))
      expect(hub.requests[0]?.body).toHaveLength(0)
    })

    it('brings a large body whole, in pieces or at once', async () => {
      const hub = await hubThat((response) => void response.end(bytes))
      expect((await readAll(await fetch(hub.url, manual))).equals(bytes)).toBe(true)
      expect(Buffer.from(await (await fetch(hub.url, manual)).arrayBuffer()).equals(bytes)).toBe(true)
    })

    it('gives the first bytes before the last ones are written', async () => {
      let finish = () => {}
      const hub = await hubThat((response) => {
        response.write('first')
        finish = () => response.end('last')
      })
      const reader = (await fetch(hub.url, manual)).body!.getReader()
      expect(Buffer.from((await reader.read()).value!).toString()).toBe('first')
      finish()
      expect(Buffer.from((await reader.read()).value!).toString()).toBe('last')
      expect((await reader.read()).done).toBe(true)
    })

    it('reads no further than a little ahead of its caller', async () => {
      const piece = Buffer.alloc(64 * 1024)
      let written = 0
      let bell = () => {}
      const full = new Promise<void>((resolve) => (bell = resolve))
      const hub = await hubThat(async (response) => {
        response.on('close', () => bell())
        for (; written < 50_000_000 && !response.destroyed; written += piece.length) {
          if (response.write(piece)) continue
          const drained = new Promise<boolean>((resolve) => response.once('drain', () => resolve(true)))
          const late = new Promise<boolean>((resolve) => setTimeout(resolve, 500, false))
          if (!(await Promise.race([drained, late]))) break
        }
        bell()
      })
      const controller = new AbortController()
      const response = await fetch(hub.url, { signal: controller.signal, ...manual })
      await full
      expect(written).toBeLessThan(30_000_000)
      controller.abort()
      await expect(readAll(response)).rejects.toBeDefined()
    })

    it('throws when no server answers, and when the answer breaks off', async () => {
      const hub = await hubThat(hangUp, (response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('part', () => setTimeout(() => response.destroy(), 10))
      })
      await expect(fetch(hub.url, manual)).rejects.toBeInstanceOf(Error)
      await expect(readAll(await fetch(hub.url, manual))).rejects.toBeInstanceOf(Error)
      await hub.close()
      await expect(fetch(hub.url, manual)).rejects.toBeInstanceOf(Error)
      hub.close = async () => {}
    })

    it('throws the reason of its signal before it asks, while it waits, and while it reads', async () => {
      const hub = await hubThat(
        () => {},
        (response) => void response.write('part'),
      )
      const why = new Error('not now')
      const ask = (signal: AbortSignal) => fetch(hub.url, { signal, ...manual })
      await expect(ask(AbortSignal.abort(why))).rejects.toBe(why)
      expect(hub.requests).toHaveLength(0)

      const waiting = new AbortController()
      const asking = ask(waiting.signal)
      await hub.request(1)
      waiting.abort(why)
      await expect(asking).rejects.toBe(why)

      const reading = new AbortController()
      const reader = (await ask(reading.signal)).body!.getReader()
      await reader.read()
      const next = reader.read()
      reading.abort(why)
      await expect(next).rejects.toBe(why)
    })

    it('uses a connection again, also one whose signal is aborted after the answer was read', async () => {
      const hub = await hubThat(json(200, {}))
      for (let n = 0; n < 5; n++) {
        const controller = new AbortController()
        await readAll(await fetch(hub.url, { signal: controller.signal, ...manual }))
        controller.abort()
        // The connection is free a moment after its answer has been read.
        await new Promise(setImmediate)
      }
      expect(hub.requests).toHaveLength(5)
      expect(hub.sockets.size).toBe(1)
    })
  })
}
