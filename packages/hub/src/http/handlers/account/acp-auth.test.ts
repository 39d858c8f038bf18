import { request } from 'node:http'
import { DeviceCode, DeviceCodeAnswer, DeviceTokens } from '@farhand/protocol/schemas/accounts'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { PasswordHasher } from '../../../access/passwords/password-hasher.ts'
import { idOfUser } from '../../../access/tokens.ts'
import { setPassword } from '../../../access/user-password.ts'
import { addUser } from '../../../access/users.ts'
import { localSocketPath } from '../../../local-socket.ts'
import { openSqliteStore } from '../../../store/sqlite-store.ts'
import { HubUnderTest, message } from '../../hub-under-test.ts'

const password = 'correct horse battery'

async function withPasswords(hub: HubUnderTest, ...names: string[]): Promise<Record<string, string>> {
  const store = await openSqliteStore(`${hub.data}/store.sqlite`)
  const hasher = new PasswordHasher()
  const tokens: Record<string, string> = {}
  try {
    for (const name of names) {
      if (name !== 'owner')
        tokens[name] = (await addUser(store.db, { name, role: 'member' }, new Date())).token
      await setPassword(store.db, hasher, await idOfUser(store.db, name), password, new Date())
    }
    return tokens
  } finally {
    await hasher.close()
    await store.close()
  }
}

const post = (hub: HubUnderTest, path: string, body: object, headers: Record<string, string> = {}) =>
  hub.ask('POST', path, { token: null, body, headers })
const bind = (hub: HubUnderTest, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  post(hub, paths.acpBind(), { username: 'owner', password, device_name: 'laptop', ...more }, headers)
/** From the machine of the hub by its local socket, which has no address. */
function overSocket(hub: HubUnderTest, body: object): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' }
    const socketPath = localSocketPath(hub.data)!
    const asked = request({ socketPath, path: paths.acpBind(), method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode! })
    })
    asked.once('error', reject)
    asked.end(JSON.stringify(body))
  })
}

const codeOf = (answer: { body: unknown }) => (answer.body as { error?: { code: string } }).error?.code

describe('a device', () => {
  it('W70 W71 W74 is bound with user name and password, works as its user, is renewed, listed and revoked', async () => {
    const hub = await HubUnderTest.start()
    await withPasswords(hub, 'owner')
    const bound = await bind(hub)
    expect(bound.status).toBe(201)
    const first = DeviceTokens.parse(bound.body)
    const asDevice = (token: string, method: string, path: string) => hub.ask(method, path, { token })
    expect((await asDevice(first.acp_token, 'GET', '/api/me')).body).toMatchObject({ name: 'owner' })
    const renewed = await post(hub, paths.acpRefresh(), { refresh_token: first.refresh_token })
    const second = DeviceTokens.parse(renewed.body)
    expect((await asDevice(second.acp_token, 'GET', paths.devices())).body).toMatchObject({
      items: [{ id: first.device_id, name: 'laptop', isThis: true }],
    })
    // What it writes has it as its author, also without saying so.
    const at = await hub.run()
    await hub.post(at, message('hello'), { token: second.acp_token })
    const log = await hub.ask('GET', paths.log(at))
    expect(String(log.body)).toContain(`"kind":"device","id":"${first.device_id}"`)

    expect((await hub.ask('DELETE', paths.device(first.device_id))).status).toBe(200)
    for (const { acp_token } of [first, second])
      expect(codeOf(await asDevice(acp_token, 'GET', '/api/me'))).toBe('token.revoked')
    const again = await post(hub, paths.acpRefresh(), { refresh_token: second.refresh_token })
    expect([again.status, codeOf(again)]).toEqual([401, 'token.revoked'])
    expect(codeOf(await hub.ask('DELETE', paths.device(first.device_id)))).toBe('device.unknown')
  })

  it('W74 that is revoked loses its open stream at once, as do browsers that were signed in from it', async () => {
    const hub = await HubUnderTest.start()
    await withPasswords(hub, 'owner')
    const { acp_token: token, device_id } = DeviceTokens.parse((await bind(hub)).body)
    const at = await hub.run()
    const stream = await hub.stream(at, '', {}, token)
    expect(await stream.next()).not.toBeNull()
    const { code } = (await hub.ask('POST', paths.signInCodes(), { token })).body as unknown as {
      code: string
    }
    const signedIn = await post(hub, paths.signIn(), { code })
    const Cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0]!
    const { sessionKey } = signedIn.body as unknown as { sessionKey: string }
    const browser = () =>
      hub.ask('GET', '/api/me', { token: null, headers: { Cookie, 'Farhand-Key': sessionKey } })
    expect((await browser()).status).toBe(200)
    await hub.ask('DELETE', paths.device(device_id))
    while ((await stream.next()) !== null) {
      // Up to the end of the stream.
    }
    expect(codeOf(await browser())).toBe('token.revoked')
  })

  it('W72 five wrong passwords lock a user name, known or not, and the answer says for how long', async () => {
    for (const username of ['owner', 'eve']) {
      const hub = await HubUnderTest.start()
      await withPasswords(hub, 'owner')
      const statuses: number[] = []
      for (let n = 1; n <= 5; n += 1)
        statuses.push((await bind(hub, { username, password: 'wrong password' })).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401])
      // Over the local socket, which is another address.
      const locked = await overSocket(hub, { username, password, device_name: 'laptop' })
      expect(locked).toMatchObject({ status: 429 })
      const answer = await bind(hub, { username })
      expect([answer.status, codeOf(answer)]).toEqual([429, 'password.too-often'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(30)
    }
  })

  it('W72 five wrong passwords lock the address, too, for every user name', async () => {
    const hub = await HubUnderTest.start()
    await withPasswords(hub, 'owner')
    const statuses: number[] = []
    for (let n = 1; n <= 6; n += 1)
      statuses.push((await bind(hub, { username: `u${n}`, password: 'wrong password' })).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await bind(hub)).status).toBe(429)
    expect((await overSocket(hub, { username: 'owner', password, device_name: 'laptop' })).status).toBe(201)
  })

  it('W72 over http from another machine no password and no refresh token is taken, unless the operator allows it', async () => {
    const plain = { 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': 'http' }
    const hub = await HubUnderTest.start()
    await withPasswords(hub, 'owner')
    const asked = [
      await bind(hub, {}, plain),
      await post(hub, paths.acpRefresh(), { refresh_token: 'x' }, plain),
      await post(hub, paths.acpCode(), { device_name: 'laptop' }, plain),
      await post(hub, paths.signIn(), { username: 'owner', password }, plain),
    ]
    for (const answer of asked) expect([answer.status, codeOf(answer)]).toEqual([403, 'https.required'])
    expect((await hub.ask('GET', paths.signIn(), { token: null, headers: plain })).body).toEqual({
      password: false,
    })
    const lax = await HubUnderTest.start({ allowHttpPasswords: true })
    await withPasswords(lax, 'owner')
    expect((await bind(lax, {}, plain)).status).toBe(201)
  })

  it('W73 without a browser is approved by its code in the web app, and gets its tokens once', async () => {
    const hub = await HubUnderTest.start()
    const begun = await post(hub, paths.acpCode(), { device_name: 'build-box' })
    expect(begun.status).toBe(201)
    const code = DeviceCode.parse(begun.body)
    expect(code).toMatchObject({ verification_url: `${hub.hub.url}/settings#devices`, interval: 5 })
    const poll = async () => {
      const { body } = await post(hub, paths.acpCodeToken(), { device_code: code.device_code })
      return DeviceCodeAnswer.parse(body)
    }
    expect(await poll()).toEqual({ status: 'pending', interval: 5 })
    expect(await poll()).toEqual({ status: 'slow_down', interval: 5 })
    const path = paths.deviceCode(code.user_code)
    expect((await hub.ask('GET', path)).body).toMatchObject({ name: 'build-box', address: '127.0.0.1' })
    const signedIn = await post(hub, paths.signIn(), { code: await hub.hub.signInCode() })
    const Cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0]!
    const { sessionKey } = signedIn.body as unknown as { sessionKey: string }
    const headers = { Cookie, 'Farhand-Key': sessionKey }
    const approved = await hub.ask('POST', path, { token: null, headers, body: { isApproved: true } })
    expect(approved.status).toBe(200)
    const answer = await poll()
    if (answer.status !== 'approved') throw new Error(`it is ${answer.status}`)
    expect((await hub.ask('GET', '/api/me', { token: answer.acp_token })).body).toMatchObject({
      name: 'owner',
    })
    expect(await poll()).toEqual({ status: 'expired' })
    expect(codeOf(await hub.ask('GET', path))).toBe('code.unknown')
  })

  it('W73 cannot approve another device, so that a stolen token does not outlive its revocation', async () => {
    const hub = await HubUnderTest.start()
    await withPasswords(hub, 'owner')
    const { acp_token: token } = DeviceTokens.parse((await bind(hub)).body)
    const code = DeviceCode.parse((await post(hub, paths.acpCode(), { device_name: 'another' })).body)
    const path = paths.deviceCode(code.user_code)
    const approved = await hub.ask('POST', path, { token, body: { isApproved: true } })
    expect([approved.status, codeOf(approved)]).toEqual([403, 'role.refused'])
  })
})

describe('a password', () => {
  const newer = 'staple staple battery'
  const put = (hub: HubUnderTest, body: object, headers: Record<string, string>) =>
    hub.ask('PUT', paths.password(), { token: null, body, headers })

  it('W77 W47 signs a browser in, and is changed with the old one, or shortly after a sign-in without', async () => {
    const hub = await HubUnderTest.start()
    await withPasswords(hub, 'owner')
    const signedIn = await post(hub, paths.signIn(), { username: 'owner', password })
    expect(signedIn.status).toBe(200)
    const { sessionKey } = signedIn.body as unknown as { sessionKey: string }
    const Cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0]!
    const browser = { Cookie, 'Farhand-Key': sessionKey }
    expect((await hub.ask('GET', paths.password(), { token: null, headers: browser })).body).toMatchObject({
      ...{ isSet: true, needsOld: false },
    })
    expect((await put(hub, { password: newer }, browser)).status).toBe(200)
    expect((await post(hub, paths.signIn(), { username: 'owner', password })).status).toBe(401)
    expect((await bind(hub, { password: newer })).status).toBe(201)

    // A token is no fresh sign-in, which may have been found.
    const bearer = { Authorization: `Bearer ${hub.token}` }
    const refused = await put(hub, { password }, bearer)
    expect([refused.status, codeOf(refused)]).toEqual([403, 'password.refused'])
    expect((await put(hub, { password, old: 'wrong password' }, bearer)).status).toBe(403)
    expect((await put(hub, { password, old: newer }, bearer)).status).toBe(200)
    expect((await bind(hub)).status).toBe(201)
  })

  it('W77 is refused if it is too weak, and nothing changes', async () => {
    const hub = await HubUnderTest.start()
    await withPasswords(hub, 'owner')
    const bearer = { Authorization: `Bearer ${hub.token}` }
    for (const weak of ['short', 'aaaaaaaaaaaaaaaa'])
      expect(await put(hub, { password: weak, old: password }, bearer)).toMatchObject({
        ...{ status: 400, body: { error: { field: 'password' } } },
      })
    expect((await bind(hub)).status).toBe(201)
  })
})

it('W76 a user lists their tokens, revokes one of them, and no other user’s', async () => {
  const hub = await HubUnderTest.start()
  const { eve } = await withPasswords(hub, 'eve')
  const listed = (await hub.ask('GET', paths.userTokens())).body as unknown as { items: { id: never }[] }
  expect(listed.items).toMatchObject([{ name: 'first', isThis: true, expiresAt: null }])
  const path = paths.userToken(listed.items[0]!.id)
  expect(codeOf(await hub.ask('DELETE', path, { token: eve! }))).toBe('token.unknown')
  expect((await hub.ask('DELETE', path)).status).toBe(200)
  expect(codeOf(await hub.ask('GET', '/api/me'))).toBe('token.revoked')
})
