import { once } from 'node:events'
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { RawConnection } from '@farhand/testkit/raw-connection'
import { describe, expect, it } from 'vitest'
import { HubUnderTest, message } from '../../http/hub-under-test.ts'
import { openEgressProxy } from './egress-proxy.ts'
import { egressProxyUnderTest, scratchFolder } from './egress-proxy-under-test.ts'

const sockets = (socketFolder: string) => ['hub.sock', 'proxy.sock'].map((name) => join(socketFolder, name))

describe('the sockets of a sandbox', () => {
  it('are open to the processes in the sandbox, and to no other user of the machine', async () => {
    const { socketFolder } = await egressProxyUnderTest({
      socketFolder: join(await scratchFolder(), 'sandbox', 'door'),
    })
    const modes = [dirname(socketFolder), socketFolder, ...sockets(socketFolder)].map(
      async (place) => (await stat(place)).mode & 0o777,
    )
    expect(await Promise.all(modes)).toEqual([0o700, 0o755, 0o666, 0o666])
  })

  it('are not opened in a folder that other users can reach', async () => {
    const folder = await scratchFolder()
    await chmod(folder, 0o755)
    await expect(egressProxyUnderTest({ socketFolder: join(folder, 'door') })).rejects.toThrow(
      'is open to other users',
    )
  })

  it('are opened again at the same place after the hub was killed', async () => {
    const socketFolder = join(await scratchFolder(), 'door')
    await mkdir(socketFolder)
    for (const socket of sockets(socketFolder)) await writeFile(socket, 'what is left of it')
    const { connect } = await egressProxyUnderTest({ socketFolder })
    const line = await connect()
    await line.write('GET / HTTP/1.1\r\n\r\n')
    expect((await line.answer())?.status).toBe(400)
  })

  it('accept nothing once they are closed, and may be opened again', async () => {
    const { gate, socketFolder, options, connect } = await egressProxyUnderTest()
    const line = await connect()
    await gate.close()
    await line.closed
    for (const socket of sockets(socketFolder)) await expect(stat(socket)).rejects.toThrow('ENOENT')
    await (await openEgressProxy(options)).close()
  })

  it.runIf(process.platform === 'linux')('may be at a path that is too long for a socket', async () => {
    const socketFolder = join(
      await scratchFolder(),
      ...Array.from({ length: 6 }, () => 'd'.repeat(40)),
      'door',
    )
    const { gate } = await egressProxyUnderTest({ socketFolder })
    for (const socket of sockets(socketFolder)) expect((await stat(socket)).isSocket()).toBe(true)
    await gate.close()
    for (const socket of sockets(socketFolder)) await expect(stat(socket)).rejects.toThrow('ENOENT')
  })
})

describe('the hub behind a sandbox socket', () => {
  async function behind() {
    const hub = await HubUnderTest.start({ keepAliveMs: 50 })
    const at = await hub.run()
    const { socketFolder } = await egressProxyUnderTest({ hub: (socket) => hub.hub.take(socket, at.run) })
    const socketPath = join(socketFolder, 'hub.sock')
    const ask = (path: string, token: string | null, more: Record<string, string> = {}, method = 'GET') => {
      const { host } = new URL(hub.hub.url)
      const headers = { host, ...(token && { authorization: `Bearer ${token}` }), ...more }
      return new Promise<{ status: number; body: string }>((resolve, reject) => {
        const asked = request({ socketPath, path, method, headers }, async (answer) =>
          resolve({ status: answer.statusCode!, body: await text(answer) }),
        )
        asked.on('error', reject)
        asked.end(method === 'POST' ? JSON.stringify([message('hi')]) : undefined)
      })
    }
    return { hub, at, ask, socketPath }
  }

  it('answers the runner of that run and refuses every other token, even the user’s', async () => {
    const { hub, at, ask } = await behind()
    const own = (await hub.runner(at)).token
    const other: RunAddress = await hub.run()
    const foreign = (await hub.runner(other)).token
    expect((await ask(paths.status(at), own)).status).toBe(200)
    expect((await ask(paths.status(other), own)).status).toBe(404)
    expect((await ask(paths.status(other), foreign)).status).toBe(403)
    expect((await ask(paths.status(at), hub.token)).status).toBe(403)
    expect((await ask(paths.projects(), hub.token)).status).toBe(403)
    expect((await ask(paths.status(at), null)).status).toBe(401)
    expect((await ask(paths.status(at), own, { host: 'evil.test' })).status).toBe(403)
    expect((await ask(paths.status(at), own, { origin: 'http://evil.test' })).status).toBe(403)
  })

  it('answers one request after another on one connection, and streams', async () => {
    const { hub, at, socketPath } = await behind()
    const { token } = await hub.runner(at)
    const line = await RawConnection.open(socketPath)
    const head = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: ${new URL(hub.hub.url).host}\r\nAuthorization: Bearer ${token}\r\n`
    for (let n = 0; n < 2; n++) {
      await line.write(`${head(paths.status(at))}\r\n`)
      expect((await line.answer())?.status).toBe(200)
    }
    await line.write(`${head(paths.sync(at))}Accept: text/event-stream\r\n\r\n`)
    while (!line.text().includes('event: live')) await new Promise(setImmediate)
    await hub.post(at, [message('over the wall')])
    while (!line.text().includes('over the wall')) await new Promise(setImmediate)
    line.leave()
  })

  it('has a limited number of connections with a sandbox: the next is closed, and one that ends makes room', async () => {
    const taken: Socket[] = []
    const { socketFolder } = await egressProxyUnderTest({
      hub: (socket) => taken.push(socket),
      mostHubLines: 2,
    })
    const open = () => RawConnection.open(join(socketFolder, 'hub.sock'))
    const first = await open()
    const second = await open()
    await (await open()).closed
    expect([first.isClosed, second.isClosed, taken.length]).toEqual([false, false, 2])
    first.leave()
    const [gone] = taken
    if (!gone?.destroyed) await once(gone!.resume().end(), 'close')
    const next = await open()
    while (taken.length < 3 && !next.isClosed) await new Promise(setImmediate)
    expect(next.isClosed).toBe(false)
    second.leave()
    next.leave()
  })

  it('stops although a connection of a sandbox is open, and takes none after that', async () => {
    const { hub, at, socketPath } = await behind()
    const line = await RawConnection.open(socketPath)
    const { token } = await hub.runner(at)
    const { host } = new URL(hub.hub.url)
    await line.write(
      `GET ${paths.sync(at)} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
    )
    while (!line.text().includes('event: live')) await new Promise(setImmediate)
    const late = await RawConnection.open(socketPath)
    await hub.hub.stop()
    await Promise.all([line.closed, late.closed])
    const after = await RawConnection.open(socketPath)
    await after.closed
    expect(after.text()).toBe('')
  })
})
