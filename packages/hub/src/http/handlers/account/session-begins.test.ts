import { paths } from '@farhand/protocol/wire/routes'
import { expect, it, onTestFinished } from 'vitest'
import { bindDevice, revokeDevice } from '../../../access/bound-devices.ts'
import { openSecret } from '../../../access/secret.ts'
import { beginSession } from '../../../access/sessions.ts'
import { makeSignInCode, useSignInCode } from '../../../access/sign-in-codes.ts'
import { requireGoodToken, revokeTokens, userByToken } from '../../../access/tokens.ts'
import { addUser } from '../../../access/users.ts'
import { addPushSubscription, pushSubscriptionsOf } from '../../../store/push-subscriptions.ts'
import { openSqliteStore } from '../../../store/sqlite-store.ts'
import { HubUnderTest } from '../../hub-under-test.ts'

const first = 'correct horse battery'
const codeOf = (answer: { body: unknown }) => (answer.body as { error?: { code: string } }).error?.code

async function aHub() {
  const hub = await HubUnderTest.start()
  const { db, close } = await openSqliteStore(`${hub.data}/store.sqlite`)
  onTestFinished(close)
  const { user, token } = await addUser(db, { name: 'ada', role: 'member' }, new Date())
  /** A browser that was signed in with this. */
  const browser = async (
    way: { code: string } | { token: string } | { username: string; password: string },
  ) => {
    const signedIn = await hub.ask('POST', paths.signIn(), { token: null, body: way })
    expect(signedIn.status).toBe(200)
    const Cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0]!
    const { sessionKey } = signedIn.body as unknown as { sessionKey: string }
    const headers = { Cookie, 'Farhand-Key': sessionKey }
    return (method: string, path: string, body?: object) =>
      hub.ask(method, path, { token: null, headers, ...(body && { body }) })
  }
  return { hub, db, ada: user.id, token, browser }
}

it('W77 a password is set without the old one only where the session began with it or on the machine of the hub', async () => {
  const { hub, db, token, browser } = await aHub()
  const byToken = await browser({ token })
  const refused = await byToken('PUT', paths.password(), { password: first })
  expect([refused.status, codeOf(refused)]).toEqual([403, 'password.refused'])
  const byCode = await hub.ask('POST', paths.signInCodes(), { body: {} })
  const { code } = byCode.body as unknown as { code: string }
  const byTokensCode = await browser({ code })
  expect((await byTokensCode('PUT', paths.password(), { password: first })).status).toBe(403)

  const byLink = await browser({ code: await hub.hub.signInCode() })
  expect((await byLink('PUT', paths.password(), { password: first })).status).toBe(200)
  const byPassword = await browser({ username: 'owner', password: first })
  expect((await byPassword('GET', paths.password())).body).toMatchObject({ isSet: true, needsOld: false })
  const made = (await byPassword('POST', paths.signInCodes(), {})).body as unknown as { code: string }
  const another = await browser({ code: made.code })
  expect((await another('GET', paths.password())).body).toMatchObject({ needsOld: true })
  const anew = { password: 'staple staple battery', old: first }
  expect((await another('PUT', paths.password(), { password: anew.password })).status).toBe(403)
  expect((await another('PUT', paths.password(), anew)).status).toBe(200)

  // Sessions of before do not say how they began.
  await db.updateTable('tokens').set({ begun_by: null }).execute()
  expect((await byLink('GET', paths.password())).body).toMatchObject({ needsOld: true })
}, 60_000)

it('W73 a device is approved by no token, nor by a browser that was signed in with one', async () => {
  const { hub, token, browser } = await aHub()
  const begun = await hub.ask('POST', paths.acpCode(), { token: null, body: { device_name: 'box' } })
  const path = paths.deviceCode((begun.body as unknown as { user_code: string }).user_code)
  const plain = await hub.ask('POST', path, { token, body: { isApproved: true } })
  const byToken = await (await browser({ token }))('POST', path, { isApproved: true })
  for (const answer of [plain, byToken]) expect(codeOf(answer)).toBe('role.refused')
  const byLink = await browser({ code: await hub.hub.signInCode() })
  expect((await byLink('POST', path, { isApproved: true })).status).toBe(200)
})

it('W74 a code whose device is revoked, or whose maker is, begins no session', async () => {
  const { hub, db, ada, token } = await aHub()
  const parts = { db, secret: await openSecret(hub.data) }
  const device = await bindDevice(parts, { user: ada, name: 'laptop' }, new Date())
  const [ofDevice, ofUser] = await Promise.all(
    [device.acp_token, token].map(async (text) => {
      const { tokenId, device } = (await userByToken(db, text))!
      const made = await makeSignInCode(db, ada, new Date(), { tokenId, device, isOnMachine: false })
      return { code: made.code, tokenId }
    }),
  )
  // As in a request that has used the code up when the device is revoked.
  const used = (await useSignInCode(db, ofDevice!.code, new Date()))!
  await revokeDevice(db, ada, device.device_id, new Date())
  const begins = db.transaction().execute(async (trx) => {
    await requireGoodToken(trx, used.tokenId!, new Date())
    return await beginSession(trx, { ...used, name: 'phone' }, new Date())
  })
  await expect(begins).rejects.toMatchObject({ code: 'token.revoked' })
  await db.updateTable('tokens').set({ revoked_at: 'now' }).where('id', '=', ofUser!.tokenId).execute()
  const late = await hub.ask('POST', paths.signIn(), { token: null, body: { code: ofUser!.code } })
  expect([late.status, codeOf(late)]).toEqual([401, 'token.revoked'])
  await revokeTokens(db, 'ada', new Date())
  const by = { tokenId: ofUser!.tokenId, device: null, isOnMachine: false }
  await expect(makeSignInCode(db, ada, new Date(), by)).rejects.toMatchObject({ code: 'token.revoked' })
})

it('W47 signing out of a session that has expired ends its notifications, too', async () => {
  const { db, ada, token, browser } = await aHub()
  const page = await browser({ token })
  const { id: tokenId } = await db
    .selectFrom('tokens')
    .select('id')
    .where('kind', '=', 'session')
    .executeTakeFirstOrThrow()
  const keys = { p256dh: 'x', auth: 'y' }
  await addPushSubscription(
    db,
    { user: ada, tokenId },
    { endpoint: 'https://push.example/1', keys },
    new Date(),
  )
  await db
    .updateTable('tokens')
    .set({ expires_at: '2026-01-01T00:00:00.000Z' })
    .where('id', '=', tokenId)
    .execute()
  expect(await pushSubscriptionsOf(db, ada)).toHaveLength(1)
  expect((await page('POST', paths.signOut(), {})).status).toBe(200)
  expect(await pushSubscriptionsOf(db, ada)).toEqual([])
})

it('W49 a token that has expired is notified no more; a bound device is until it is revoked', async () => {
  const { hub, db, ada, token } = await aHub()
  const parts = { db, secret: await openSecret(hub.data) }
  const device = await bindDevice(parts, { user: ada, name: 'laptop' }, new Date())
  const subscribe = async (text: string, endpoint: string) => {
    const { tokenId } = (await userByToken(db, text))!
    const subscription = { endpoint, keys: { p256dh: 'x', auth: 'y' } }
    await addPushSubscription(db, { user: ada, tokenId }, subscription, new Date())
  }
  await subscribe(device.acp_token, 'https://push.example/device')
  await subscribe(token, 'https://push.example/token')
  await db
    .updateTable('tokens')
    .set({ expires_at: '2026-01-01T00:00:00.000Z' })
    .where('user_id', '=', ada)
    .execute()
  const notified = async () => (await pushSubscriptionsOf(db, ada)).map(({ endpoint }) => endpoint)
  expect(await notified()).toEqual(['https://push.example/device'])
  await revokeDevice(db, ada, device.device_id, new Date())
  expect(await notified()).toEqual([])
})
