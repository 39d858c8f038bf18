import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { post } from '@farhand/client/post/post'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { HubProcess } from '@farhand/testkit/hub-process'
import { RawConnection } from '@farhand/testkit/raw-connection'
import { expect, it, onTestFinished } from 'vitest'
import { addedUser } from './users-under-test.ts'

const descriptors = 256
const limited = (...words: string[]) => ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...words]
const message = { jsonrpc: '2.0' as const, method: '_posthog/user_message', params: { content: 'hello' } }

async function start(): Promise<HubProcess> {
  const hub = await HubProcess.start({ within: limited, settings: ['--sandbox', 'none'] })
  onTestFinished(async () => {
    await hub.kill()
    rmSync(hub.data, { recursive: true, force: true })
  })
  return hub
}

/** So many connections that begin a request and do not go on. */
async function halfOpen(hub: HubProcess, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ host: '127.0.0.1', port: hub.port }))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(
    sockets.map(async (socket) => {
      socket.on('error', () => {})
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
      socket.write('GET /api/projects HTTP/1.1\r\nHost: 127')
    }),
  )
  return sockets
}

it('W52 connections without a token take no file descriptors from logs, and shut out no other client', async () => {
  const hub = await start()
  const owner = { url: hub.url, token: hub.token }
  const { id: project } = await createProject(owner, { name: 'p' })
  const { id: task } = await createTask(owner, project, { title: 't' })
  const runs = []
  for (let n = 0; n < 40; n++)
    runs.push(addressOf(await createRun(owner, project, task, { sandbox: 'none' })))

  await halfOpen(hub, 2 * descriptors)
  // Each has a log of its own, which is opened now.
  const posted = await Promise.all(
    runs.map((at) => post(owner, at, [message], { signal: AbortSignal.timeout(60_000) })),
  )
  expect(posted.map(({ ids }) => ids)).toEqual(runs.map(() => [1]))

  const fresh = await RawConnection.open(hub.port)
  await fresh.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  expect(await fresh.answer()).toMatchObject({ status: 200 })
  const beside = await RawConnection.open(join(hub.data, 'hub.sock'))
  await beside.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  expect(await beside.answer()).toMatchObject({ status: 200 })
  for (const one of [fresh, beside]) one.leave()
})

it('W52 one connection on which another protocol is offered again and again is answered, and closed after a few', async () => {
  const hub = await start()
  const one = connect({ host: '127.0.0.1', port: hub.port })
  onTestFinished(() => void one.destroy())
  let said = ''
  one.on('data', (bytes) => (said += bytes))
  const closed = once(one, 'close')
  const answers = () => said.split('HTTP/1.1 200').length - 1
  // Each offer that is passed over costs the hub memory until the connection ends.
  let offers = 0
  for (; offers < 50 && !one.destroyed; offers++) {
    one.write(
      'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n',
    )
    while (answers() <= offers && !one.destroyed) await Promise.race([once(one, 'data'), closed])
  }
  expect(answers()).toBeGreaterThan(1)
  expect(offers).toBeLessThan(10)
})

it('W52 one user cannot hold every connection there is', async () => {
  const hub = await start()
  const eve = await addedUser(hub, 'eve')
  const ask = (token: string) =>
    `GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const answers: (number | undefined)[] = []
  for (let n = 0; n < descriptors; n++) {
    const one = await RawConnection.open(hub.port)
    onTestFinished(() => one.leave())
    await one.write(ask(eve.token))
    answers.push((await one.answer())?.status)
  }
  expect(answers[0]).toBe(200)
  expect(answers.at(-1)).not.toBe(200)
  const owner = await RawConnection.open(hub.port)
  await owner.write(ask(hub.token))
  expect(await owner.answer()).toMatchObject({ status: 200 })
  owner.leave()
})
