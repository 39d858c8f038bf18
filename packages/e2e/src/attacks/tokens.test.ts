import { join } from 'node:path'
import { HubUnderTest } from '@farhand/hub/http/hub-under-test'
import { openEgressProxy } from '@farhand/hub/sandboxes/egress/egress-proxy'
import { paths } from '@farhand/protocol/wire/routes'
import { RawConnection } from '@farhand/testkit/raw-connection'
import { describe, expect, it, onTestFinished } from 'vitest'

const wrongToken = (n: number) => `fh_${String(n).padStart(40, '0')}`

describe('wrong tokens', () => {
  it('W52 are answered 429 with the time to wait once an address has tried many, and a right one is still accepted', async () => {
    const hub = await HubUnderTest.start()
    const statuses: number[] = []
    for (let n = 0; n < 80; n++)
      statuses.push((await hub.ask('GET', '/api/me', { token: wrongToken(n) })).status)
    expect(statuses[0]).toBe(401)
    const last = await hub.ask('GET', '/api/me', { token: wrongToken(99) })
    expect(last).toMatchObject({ status: 429, body: { error: { code: 'token.too-often', remedy: 'retry' } } })
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    // Even if another client guesses from the same address, a right token is not refused.
    expect(await hub.ask('GET', '/api/me')).toMatchObject({ status: 200 })
  })

  it('W52 W47 cannot be tried without limit by signing in', async () => {
    const hub = await HubUnderTest.start()
    const signIn = (token: string) => hub.ask('POST', paths.signIn(), { token: null, body: { token } })
    const statuses: number[] = []
    for (let n = 0; n < 80; n++) statuses.push((await signIn(wrongToken(n))).status)
    expect(statuses[0]).toBe(401)
    expect(statuses.at(-1)).toBe(429)
    expect(await signIn(hub.token)).toMatchObject({ status: 200 })
  })
})

describe('the metrics of a hub', () => {
  it('W2 are for its own machine, and for callers with a token', async () => {
    const hub = await HubUnderTest.start()
    expect((await hub.ask('GET', '/metrics', { token: null })).status).toBe(200)
    // A proxy on the same machine passes on who asks.
    for (const headers of [{ 'X-Forwarded-For': '192.0.2.1' }, { Forwarded: 'for=192.0.2.1' }] as const) {
      const far = await hub.ask('GET', '/metrics', { token: null, headers: { ...headers } })
      expect(far).toMatchObject({ status: 401, body: { error: { code: 'token.missing' } } })
      expect((await hub.ask('GET', '/metrics', { headers: { ...headers } })).status).toBe(200)
    }
  })

  it('W2 are not for what runs in a sandbox', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const socketFolder = join(hub.data, 'a', 'door')
    const gate = await openEgressProxy({
      socketFolder,
      rules: { network: 'none', alsoHosts: [], privateHosts: [] },
      remotes: [],
      credentialFor: async () => null,
      hub: (socket) => hub.hub.take(socket, at.run),
      refused: () => {},
    })
    onTestFinished(() => gate.close())
    for (const [more, status] of [
      ['', 401],
      [`Authorization: Bearer ${token}\r\n`, 403],
    ]) {
      const inside = await RawConnection.open(join(socketFolder, 'hub.sock'))
      onTestFinished(() => inside.leave())
      await inside.write(`GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`)
      expect(await inside.answer()).toMatchObject({ status })
    }
  })
})
