import { execFileSync } from 'node:child_process'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it, vi } from 'vitest'
import { AlreadyRunning } from './data-folder.ts'
import { HubUnderTest, message, notification } from './http/hub-under-test.ts'

describe('a hub', () => {
  it('makes an owner at its first start, shows the token once, and keeps no copy of it in clear', async () => {
    const hub = await HubUnderTest.start()
    expect(hub.token).toMatch(/^fh_/)
    await hub.hub.stop()
    expect((await readFile(`${hub.data}/store.sqlite`)).includes(hub.token)).toBe(false)
    const again = await HubUnderTest.on(hub.data)
    expect(again.hub.ownerToken).toBeNull()
    expect((await again.ask('GET', '/api/me', { token: hub.token })).body).toMatchObject({
      name: 'owner',
      role: 'owner',
    })
  })

  it('keeps its secret and its data to itself', async () => {
    const hub = await HubUnderTest.start()
    expect((await stat(`${hub.data}/secret`)).mode & 0o777).toBe(0o600)
  })

  it('keeps its data out of the repository it may lie in, and so out of its own sandboxes', async () => {
    const hub = await HubUnderTest.start()
    expect(await readFile(`${hub.data}/.gitignore`, 'utf8')).toBe('*\n')
    await hub.hub.stop()
    await writeFile(`${hub.data}/.gitignore`, 'of somebody')
    await HubUnderTest.on(hub.data)
    expect(await readFile(`${hub.data}/.gitignore`, 'utf8')).toBe('of somebody')
  })

  it('starts although an earlier start was cut off while it made the secret', async () => {
    const hub = await HubUnderTest.start()
    await hub.hub.stop()
    await rm(`${hub.data}/secret`)
    await writeFile(`${hub.data}/secret.draft`, 'half')
    const again = await HubUnderTest.on(hub.data, {}, hub.token)
    expect((await again.ask('GET', '/api/me')).status).toBe(200)
  })

  it('is alone on its data: a second one is told where the first is', async () => {
    const hub = await HubUnderTest.start()
    const second = await HubUnderTest.on(hub.data).catch((error) => error)
    expect(second).toBeInstanceOf(AlreadyRunning)
    expect(second).toMatchObject({ url: hub.hub.url, pid: process.pid })
    await writeFile(`${hub.data}/hub.json`, '')
    const third = await HubUnderTest.on(hub.data).catch((error) => error)
    expect(third).toMatchObject({ name: 'AlreadyRunning', url: null })
  })

  it.runIf(process.platform === 'linux')(
    'answers the first requests while its start is not over',
    async () => {
      const hub = await HubUnderTest.start()
      await hub.hub.stop()
      // Its start cannot go on before this file is read.
      const held = `${hub.data}/hub.json.draft`
      execFileSync('mkfifo', [held])
      const again = HubUnderTest.on(hub.data, { port: Number(new URL(hub.hub.url).port) }, hub.token)
      const answer = await vi.waitFor(() => hub.ask('POST', paths.signInCodes()), 20_000)
      expect(answer.status).toBe(201)
      expect(answer.body).toMatchObject({ urls: expect.arrayContaining([hub.hub.url]) })
      await readFile(held)
      await again
    },
  )

  it('stops cleanly: readers are told to reconnect, appends in flight are kept, and nothing is forgotten', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const stream = await hub.stream(at)
    await stream.until(({ event }) => event === 'live')
    const posts = Array.from({ length: 20 }, (_, n) => hub.post(at, message(`${n}`)).catch(() => null))
    const stopped = hub.hub.stop()
    const answers = (await Promise.all(posts)).filter((answer) => answer?.status === 202)
    const seen = await stream.until(({ event }) => event === 'reconnect')
    expect(await stream.next()).toBeNull()
    await stopped
    const again = await HubUnderTest.on(hub.data, {}, hub.token)
    const { lastEventId } = (await again.ask('GET', paths.status(at))).body
    for (const answer of answers)
      expect(Number(answer!.body.lastEventId)).toBeLessThanOrEqual(Number(lastEventId))
    for (const { id } of seen) if (id) expect(id).toBeLessThanOrEqual(Number(lastEventId))
  })

  it('W22 a stop while a run is being closed does not cost its runner the last checkpoint', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const runner = await hub.stream(at, '?to=agent', {}, token)
    await runner.until(({ event }) => event === 'live')
    await hub.post(at, notification('_posthog/close'))
    await hub.hub.stop()
    const again = await HubUnderTest.on(hub.data, {}, hub.token)
    const last = notification('agent_message_chunk', { text: 'last words' })
    expect((await again.post(at, last, { token })).status).toBe(202)
  })

  it('W22 closes what it was asked to close before it stopped', async () => {
    const hub = await HubUnderTest.start({ closeGraceMs: 60_000 })
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const runner = await hub.stream(at, '?to=agent', {}, token)
    await runner.until(({ event }) => event === 'live')
    await hub.post(at, notification('_posthog/close'))
    await hub.hub.stop()
    const again = await HubUnderTest.on(hub.data, { closeGraceMs: 0 }, hub.token)
    const reader = await again.stream(at)
    await reader.until(({ event }) => event === 'end')
    expect((await again.ask('GET', paths.status(at))).body).toMatchObject({ status: 'closed' })
  })

  it('shows its health, its metrics and its API without a token, and no id of a run in them', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    for (const path of ['/healthz', '/readyz', '/', '/metrics', '/api/openapi.json']) {
      const answer = await hub.ask('GET', path, { token: null })
      expect(answer.status).toBe(200)
      expect(JSON.stringify(answer.body)).not.toContain(at.run)
    }
    expect((await hub.ask('HEAD', '/healthz', { token: null })).status).toBe(200)
    const metrics = String((await hub.ask('GET', '/metrics')).body)
    expect(metrics).toContain(
      'farhand_http_request_seconds_count{method="POST",route="/api/projects",status="201"} 1',
    )
  })

  it('signs a browser in with a cookie that scripts cannot read', async () => {
    const hub = await HubUnderTest.start()
    const signedIn = await hub.ask('POST', '/api/sign-in', { body: { token: hub.token }, token: null })
    const cookie = signedIn.headers.get('set-cookie')!
    expect(cookie).toMatch(/^farhand_\d+=fhs_[^;]+; Path=\/api; HttpOnly; SameSite=Strict/)
    const Cookie = cookie.split(';')[0]!
    const { sessionKey } = signedIn.body as unknown as { sessionKey: string }
    const headers = { Cookie, 'Farhand-Key': sessionKey }
    expect((await hub.ask('GET', '/api/me', { token: null, headers })).status).toBe(200)
    const wrong = await hub.ask('POST', '/api/sign-in', { body: { token: 'fh_no' }, token: null })
    expect(wrong.status).toBe(401)
  })

  it('takes no requests that a foreign page made a browser send', async () => {
    const hub = await HubUnderTest.start()
    const foreign = await hub.ask('GET', '/api/projects', { headers: { Origin: 'https://evil.example' } })
    expect(foreign.body).toMatchObject({ error: { code: 'origin.refused' } })
    const own = await hub.ask('GET', '/api/projects', { headers: { Origin: hub.hub.url } })
    expect(own.status).toBe(200)
    const otherPort = await hub.ask('GET', '/api/projects', { headers: { Origin: 'http://localhost:1' } })
    expect(otherPort.status).toBe(403)
  })
})
