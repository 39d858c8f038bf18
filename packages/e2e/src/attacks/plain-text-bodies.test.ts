import { HubUnderTest, message } from '@farhand/hub/http/hub-under-test'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'

/** A signed-in browser, and a run of its user. */
async function visited() {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const signedIn = await hub.ask('POST', paths.signIn(), { body: { token: hub.token }, token: null })
  const { sessionKey } = signedIn.body as { sessionKey?: string }
  // With the key of the page, which an attacker has not: the type of the body is looked at by itself.
  const browser = {
    Cookie: signedIn.headers.get('set-cookie')!.split(';')[0]!,
    'Farhand-Key': sessionKey!,
  }
  const lastEventId = async () => (await hub.ask('GET', paths.status(at))).body.lastEventId
  const body = JSON.stringify(message('rm -rf ~'))
  return { hub, at, browser, lastEventId, body, url: new URL(paths.sync(at), hub.hub.url) }
}

describe('a page of another site that sends JSON as plain text with the cookie of its visitor', () => {
  it('W63 W47 is refused with every Content-Type that a page can send, as a page knows no token', async () => {
    const { browser, lastEventId, body, url } = await visited()
    for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', '']) {
      const headers = new Headers({ ...browser, 'Content-Type': type })
      if (type === '') headers.delete('Content-Type')
      const sent = { method: 'POST', headers, body: new TextEncoder().encode(body) }
      expect((await fetch(url, sent)).status, type).toBe(415)
    }
    const honest = { ...browser, 'Content-Type': 'application/json' }
    expect((await fetch(url, { method: 'POST', headers: honest, body })).status).toBe(202)
    expect(await lastEventId()).toBe(1)
  })

  it('W63 an Authorization header without a bearer token does not make the cookie count', async () => {
    const { browser, lastEventId, body, url } = await visited()
    for (const said of ['Basic x', 'Bearer', 'Bearer ']) {
      const headers = { ...browser, Authorization: said, 'Content-Type': 'text/plain' }
      expect((await fetch(url, { method: 'POST', headers, body })).status, said).toBe(415)
    }
    const headers = { ...browser, Authorization: 'Bearer x', 'Content-Type': 'text/plain' }
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401)
    expect(await lastEventId()).toBe(0)
  })

  it('W63 W47 with the origin of another site even a token is refused', async () => {
    const { hub, lastEventId, body, url } = await visited()
    const headers = {
      Authorization: `Bearer ${hub.token}`,
      Origin: 'https://evil.example',
      'Content-Type': 'text/plain',
    }
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(403)
    expect(await lastEventId()).toBe(0)
  })

  it('W66 a file is not stored, nor read, by a page of another origin', async () => {
    const { hub, at, browser } = await visited()
    const hash = 'a'.repeat(64)
    const at66 = new URL(paths.runFile(at, hash), hub.hub.url)
    for (const method of ['PUT', 'GET']) {
      const headers = { ...browser, Origin: 'https://evil.example' }
      const sent = { method, headers, ...(method === 'PUT' && { body: 'x' }) }
      expect((await fetch(at66, sent)).status).toBe(403)
    }
  })
})
