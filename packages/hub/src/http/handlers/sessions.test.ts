import type { Session, SignInCode } from '@farhand/protocol/schemas/sessions'
import { describe, expect, it } from 'vitest'
import { HubUnderTest } from '../hub-under-test.ts'

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'

async function aCode(hub: HubUnderTest): Promise<string> {
  const { status, body } = await hub.ask('POST', '/api/sign-in-codes')
  expect(status).toBe(201)
  return (body as unknown as SignInCode).code
}

/** A browser that has signed in with this, and asks with its cookie and its key from then on. */
async function signedIn(hub: HubUnderTest, body: object, headers: Record<string, string> = {}) {
  const answer = await hub.ask('POST', '/api/sign-in', { body, token: null, headers })
  const Cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { sessionKey = '', ...me } = answer.body as { sessionKey?: string }
  const both = { Cookie, 'Farhand-Key': sessionKey }
  return {
    answer,
    me,
    Cookie,
    headers: both,
    token: `${Cookie.split('=')[1]}.${sessionKey}`,
    ask: (method: string, path: string, body?: object) =>
      hub.ask(method, path, { token: null, headers: both, ...(body && { body }) }),
  }
}

const sessionsOf = (answer: { body: unknown }) => (answer.body as { items: Session[] }).items
const codeOf = (answer: { body: unknown }) => (answer.body as { error?: { code: string } }).error?.code

describe('W47 signing in', () => {
  it('a code signs one browser in, once, also if the user types it in small letters, with a dash, and o and l for 0 and 1', async () => {
    const hub = await HubUnderTest.start()
    const code = await aCode(hub)
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/)
    const typed = `${code.slice(0, 5)}-${code.slice(5)}`
      .toLowerCase()
      .replaceAll('0', 'o')
      .replaceAll('1', 'l')
    const first = await signedIn(hub, { code: typed })
    expect(first.answer.body).toMatchObject({ name: 'owner', role: 'owner' })
    expect((await first.ask('GET', '/api/me')).body).toEqual(first.me)
    const second = await signedIn(hub, { code })
    expect([second.answer.status, codeOf(second.answer), second.Cookie]).toEqual([401, 'code.invalid', ''])
  })

  it('if many clients use a code at the same moment one gets in', async () => {
    const hub = await HubUnderTest.start()
    const code = await aCode(hub)
    const all = await Promise.all(Array.from({ length: 5 }, () => signedIn(hub, { code })))
    expect(all.map(({ answer }) => answer.status).sort()).toEqual([200, 401, 401, 401, 401])
  })

  it('after twenty wrong codes the hub takes no code for a while, not even the right one', async () => {
    const hub = await HubUnderTest.start()
    const code = await aCode(hub)
    for (let tries = 0; tries < 20; tries += 1)
      expect(codeOf((await signedIn(hub, { code: `WR0NG${tries}` })).answer)).toBe('code.invalid')
    const late = await signedIn(hub, { code })
    expect([late.answer.status, codeOf(late.answer)]).toEqual([429, 'code.too-often'])
    expect((await signedIn(hub, { token: hub.token })).answer.status).toBe(200)
  })

  it('a token is exchanged for a session: the browser does not store the token', async () => {
    const hub = await HubUnderTest.start()
    const browser = await signedIn(hub, { token: hub.token }, { 'User-Agent': phone })
    expect(browser.token).not.toBe(hub.token)
    expect(sessionsOf(await browser.ask('GET', '/api/sessions'))).toMatchObject([
      { name: 'Safari on iPhone', isThis: true },
    ])
    expect(sessionsOf(await hub.ask('GET', '/api/sessions'))).toMatchObject([{ isThis: false }])
  })

  it('the cookie is for this hub alone, is renewed while it is used, and a browser that came by https sends it by nothing else', async () => {
    const hub = await HubUnderTest.start({ allowedHosts: ['hub.lan'] })
    const cookieOf = (answer: { headers: Headers }) => answer.headers.get('set-cookie') ?? ''
    const plain = await signedIn(hub, { token: hub.token })
    expect(cookieOf(plain.answer)).toMatch(/; Path=\/api; HttpOnly; SameSite=Strict; Max-Age=31536000$/)
    const sealed = await signedIn(hub, { token: hub.token }, { Origin: 'https://hub.lan' })
    expect(cookieOf(sealed.answer)).toMatch(/; Secure$/)
    expect(cookieOf(await plain.ask('GET', '/api/me'))).toBe(cookieOf(plain.answer))
    expect(cookieOf(await hub.ask('GET', '/api/me'))).toBe('')
    expect(cookieOf(await plain.ask('GET', '/api/sessions'))).toBe('')
  })

  it('the cookie alone opens nothing, as cookies are sent to every port of a host, nor does the key alone', async () => {
    const hub = await HubUnderTest.start()
    const browser = await signedIn(hub, { token: hub.token })
    const { Cookie, 'Farhand-Key': key } = browser.headers
    const status = async (headers: Record<string, string>) =>
      (await hub.ask('GET', '/api/me', { token: null, headers })).status
    expect(await status({ Cookie })).toBe(401)
    expect(await status({ 'Farhand-Key': key })).toBe(401)
    expect(await status({ Authorization: `Bearer ${Cookie.split('=')[1]}` })).toBe(401)
    expect(await status({ Cookie, 'Farhand-Key': `${key}x` })).toBe(401)
    // Nor does it end the session, or take its place.
    await hub.ask('POST', '/api/sign-out', { token: null, headers: { Cookie } })
    await signedIn(hub, { token: hub.token }, { Cookie })
    expect((await browser.ask('GET', '/api/me')).status).toBe(200)
  })

  it('a browser that signs in again is in the list once', async () => {
    const hub = await HubUnderTest.start()
    const browser = await signedIn(hub, { token: hub.token })
    await signedIn(hub, { token: hub.token }, browser.headers)
    expect(sessionsOf(await hub.ask('GET', '/api/sessions'))).toHaveLength(1)
    expect((await browser.ask('GET', '/api/me')).status).toBe(401)
  })

  it('a user can rename each of their devices from any of them, and the name stays when the device signs in again', async () => {
    const hub = await HubUnderTest.start()
    const old = await signedIn(hub, { token: hub.token }, { 'User-Agent': phone })
    const desk = await signedIn(hub, { token: hub.token })
    const listed = async () => sessionsOf(await desk.ask('GET', '/api/sessions'))
    const { id } = (await listed()).find(({ isThis }) => !isThis)!
    const called = (name: unknown) => desk.ask('PUT', `/api/sessions/${id}/name`, { name })
    expect((await called('  The phone of the kitchen 🪴 ')).status).toBe(200)
    const nameOf = async () => (await listed()).find(({ isThis }) => !isThis)?.name
    expect(await nameOf()).toBe('The phone of the kitchen 🪴')
    const hostile = [
      '',
      ' ',
      'x'.repeat(101),
      'two\nlines',
      '\u001b[2J',
      '\u202egnp.exe',
      '\u200b\u2060',
      '\ud800',
      7,
    ]
    for (const name of hostile)
      expect(await called(name), JSON.stringify(name)).toMatchObject({
        ...{ status: 400, body: { error: { field: 'name' } } },
      })
    expect((await called('<img src=x onerror=alert(1)>')).status).toBe(200)
    const again = await signedIn(hub, { token: hub.token }, { 'User-Agent': phone, ...old.headers })
    expect(sessionsOf(await again.ask('GET', '/api/sessions')).find(({ isThis }) => isThis)?.name).toBe(
      '<img src=x onerror=alert(1)>',
    )
    expect(codeOf(await called('gone'))).toBe('session.unknown')
    const other = await desk.ask('PUT', '/api/sessions/ses_00000000/name', { name: 'x' })
    expect(codeOf(other)).toBe('session.unknown')
  })

  it('the hub makes a code for a signed-in user, and not for a runner', async () => {
    const hub = await HubUnderTest.start()
    expect((await hub.ask('POST', '/api/sign-in-codes', { token: null })).status).toBe(401)
    const { token } = await hub.runner(await hub.run())
    expect((await hub.ask('POST', '/api/sign-in-codes', { token })).status).toBe(403)
    // A page of another site, in a browser that is signed in, gets none; and no cache keeps the answer.
    const { headers } = await signedIn(hub, { token: hub.token })
    const asks = (Origin: string) =>
      hub.ask('POST', '/api/sign-in-codes', { token: null, headers: { ...headers, Origin } })
    expect(codeOf(await asks('https://elsewhere.example'))).toBe('origin.refused')
    const made = await asks(new URL(hub.hub.url).origin)
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
  })
})

describe('W47 signing out', () => {
  it('ending a session ends its streams at once, and no others', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const lost = await signedIn(hub, { code: await aCode(hub) })
    const kept = await signedIn(hub, { code: await aCode(hub) })
    const [its, others] = [await hub.stream(at, '', {}, lost.token), await hub.stream(at, '', {}, kept.token)]
    for (const stream of [its, others]) await stream.until(({ event }) => event === 'live')
    const id = sessionsOf(await lost.ask('GET', '/api/sessions')).find(({ isThis }) => isThis)?.id
    expect((await kept.ask('DELETE', `/api/sessions/${id}`)).status).toBe(200)
    expect(codeOf(await lost.ask('GET', '/api/me'))).toBe('token.revoked')
    for (let seen = await its.next(); seen; seen = await its.next());
    await hub.post(at, { jsonrpc: '2.0', method: '_posthog/user_message', params: { content: 'still here' } })
    await others.until(({ id }) => id === 1)
    expect(codeOf(await kept.ask('DELETE', `/api/sessions/${id}`))).toBe('session.unknown')
  })

  it('signing out ends the session and its streams, and not only the cookie', async () => {
    const hub = await HubUnderTest.start()
    const browser = await signedIn(hub, { token: hub.token })
    const changes = await fetch(new URL('/api/runs/changes', hub.hub.url), {
      headers: { Accept: 'text/event-stream', ...browser.headers },
    })
    const stream = await hub.stream(await hub.run(), '', {}, browser.token)
    await stream.until(({ event }) => event === 'live')
    const out = await browser.ask('POST', '/api/sign-out')
    expect(await changes.text()).toContain('event: live')
    expect(await stream.next()).toBeNull()
    expect(out.headers.get('set-cookie')).toMatch(/^farhand_\d+=; .*Max-Age=0/)
    expect((await browser.ask('GET', '/api/me')).status).toBe(401)
    expect((await browser.ask('POST', '/api/sign-out')).status).toBe(200)
    expect((await hub.ask('GET', '/api/me')).status).toBe(200)
  })

  it('only its own user can end or rename a session, and a token is not a session', async () => {
    const hub = await HubUnderTest.start()
    const browser = await signedIn(hub, { token: hub.token })
    const [mine] = sessionsOf(await browser.ask('GET', '/api/sessions'))
    expect(codeOf(await hub.ask('DELETE', '/api/sessions/ses_00000000'))).toBe('session.unknown')
    const { addUser } = await import('../../access/users.ts')
    const { openSqliteStore } = await import('../../store/sqlite-store.ts')
    const store = await openSqliteStore(`${hub.data}/store.sqlite`)
    const { token } = await addUser(store.db, { name: 'bob', role: 'member' }, new Date())
    await store.close()
    expect(codeOf(await hub.ask('DELETE', `/api/sessions/${mine?.id}`, { token }))).toBe('session.unknown')
    const renamed = await hub.ask('PUT', `/api/sessions/${mine?.id}/name`, { token, body: { name: 'bobs' } })
    expect(codeOf(renamed)).toBe('session.unknown')
    // Bob on the same browser does not learn what she called it.
    await browser.ask('PUT', `/api/sessions/${mine?.id}/name`, { name: 'Hers' })
    expect((await browser.ask('GET', '/api/me')).status).toBe(200)
    const bobs = await signedIn(hub, { token }, browser.headers)
    expect(sessionsOf(await bobs.ask('GET', '/api/sessions'))).not.toMatchObject([{ name: 'Hers' }])
  })
})
