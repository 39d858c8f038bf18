import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { ClientRequest } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, type ScriptedHub, scriptedHub } from '@farhand/testkit/scripted-hub'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { fetchContract } from './fetch.contract.ts'
import { leanFetch, socketFetch } from './lean-fetch.ts'

fetchContract("Node's own fetch", fetch)
fetchContract('leanFetch', leanFetch)

const folder = mkdtempSync(join(tmpdir(), 'farhand-sockets-'))
afterAll(() => rmSync(folder, { recursive: true }))
const socketOf = (url: string) => join(folder, `${new URL(url).port}.sock`)

/** Lets a hub be reached by a socket, too. */
async function openSocket({ url }: ScriptedHub): Promise<void> {
  const lines = new Set<Socket>()
  const door = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      lines.add(one)
      one.on('error', () => {}).on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  door.listen(socketOf(url))
  await once(door, 'listening')
  onTestFinished(() => {
    for (const line of lines) line.destroy()
    door.close()
  })
}

const bySocket = ((url: string, init?: RequestInit) => socketFetch(socketOf(url))(url, init)) as typeof fetch
fetchContract('socketFetch', bySocket, openSocket)

it('asks the server behind the socket, for any address, and passes the host of the address on', async () => {
  const hub = await scriptedHub(json(200, {}))
  onTestFinished(() => hub.close())
  await openSocket(hub)
  const through = socketFetch(socketOf(hub.url))
  for (const body of ['text', new Blob(['file'])]) {
    const answer = await through('https://hub.example:8443/a?b=c', { method: 'PUT', body })
    expect(answer.status).toBe(200)
    await answer.text()
  }
  expect(hub.requests.map(({ path, headers }) => [path, headers.host])).toEqual([
    ['/a', 'hub.example:8443'],
    ['/a', 'hub.example:8443'],
  ])
  expect(through.takesPieces).toBe(true)
})

it.runIf(process.platform === 'linux')(
  'finds a socket whose path is longer than that of a socket may be',
  async () => {
    const hub = await scriptedHub(json(200, {}))
    onTestFinished(() => hub.close())
    const deep = join(folder, ...Array.from({ length: 4 }, () => 'd'.repeat(40)))
    mkdirSync(deep, { recursive: true })
    await openSocket(hub)
    renameSync(socketOf(hub.url), join(deep, 'hub.sock'))
    expect((await socketFetch(join(deep, 'hub.sock'))(hub.url)).status).toBe(200)
  },
)

it('leaves no connection behind that was aborted, nor one whose reader stopped half-way', async () => {
  const hub = await scriptedHub((response) => void response.write('part'))
  onTestFinished(() => hub.close())
  const controller = new AbortController()
  await (await leanFetch(hub.url, { signal: controller.signal })).body!.getReader().read()
  await (await leanFetch(hub.url)).body!.cancel()
  controller.abort()
  while (hub.sockets.size > 0) await new Promise(setImmediate)
  expect(hub.requests).toHaveLength(2)
})

it('breaks off an upload whose blob cannot be read', async () => {
  const hub = await scriptedHub((response) => void response.end())
  onTestFinished(() => hub.close())
  class Unreadable extends Blob {
    override stream(): never {
      throw new Error('the file has changed')
    }
  }
  const sending = leanFetch(hub.url, { method: 'PUT', body: new Unreadable(['bytes']) })
  await expect(sending).rejects.toThrow('the file has changed')
  expect(hub.requests).toHaveLength(0)
})

it('cannot break a connection that is used for something else by now', async () => {
  const hub = await scriptedHub(
    (response, { path }) => void (path === '/slow' ? response.write('s') : response.end('q')),
  )
  onTestFinished(() => hub.close())
  const quick = await leanFetch(`${hub.url}/quick`)
  await quick.body!.getReader().read()
  const slow = (await leanFetch(`${hub.url}/slow`)).body!.getReader()
  await quick.body!.cancel()
  expect((await slow.read()).done).toBe(false)
  expect(hub.sockets.size).toBe(1)
})

it('sends a large file without a word of complaint, however often it has to wait', async () => {
  const hub = await scriptedHub((response) => void response.end())
  onTestFinished(() => hub.close())
  const warnings: Error[] = []
  const { host } = new URL(hub.url)
  // Other tests in this process may make some, too: this hub is asked by this test alone.
  const onWarning = (warning: Error & { emitter?: unknown }) => {
    const { emitter } = warning
    if (emitter instanceof ClientRequest && emitter.getHeader('host') === host) warnings.push(warning)
  }
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const pieces = Array.from({ length: 64 }, () => new Uint8Array(128 * 1024))
  await leanFetch(hub.url, { method: 'PUT', body: new Blob(pieces) })
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
})
