import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { addPushSubscription, pushSubscriptionsOf } from '../store/push-subscriptions.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { Secret } from './secret.ts'
import { beginSession, endSession, listSessions, wholeToken } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { markTokenUsed, revokeTokens, userByToken } from './tokens.ts'
import { addUser } from './users.ts'

const noon = new Date('2026-03-01T12:00:00.000Z')
const dayMs = 24 * 3600_000
const later = (days: number) => new Date(noon.getTime() + days * dayMs)

async function aStore() {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-sessions-'))
  const { db, close } = await openSqliteStore(join(dir, 'hub.sqlite'))
  onTestFinished(async () => {
    await close()
    await rm(dir, { recursive: true })
  })
  return db
}

it('W47 a session ends a day after its last use, unless the hub is set otherwise; each use extends it, and tokens stay valid', async () => {
  const db = await aStore()
  const { user, token } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const begin = async (name: string, lastsMs?: number) =>
    wholeToken(await beginSession(db, { user: user.id, name }, noon, lastsMs))
  const [used, left, long] = [await begin('desk'), await begin('phone'), await begin('kiosk', 30 * dayMs)]
  const almost = later(0.99)
  expect(await userByToken(db, left, almost)).not.toBeNull()
  await markTokenUsed(db, (await userByToken(db, used, almost))!, almost, dayMs)

  const tooLate = later(1.01)
  expect(await userByToken(db, left, tooLate)).toBeNull()
  expect(await userByToken(db, used, tooLate)).not.toBeNull()
  expect(await userByToken(db, long, tooLate)).not.toBeNull()
  expect((await listSessions(db, user.id, null, tooLate)).map(({ name }) => name)).toEqual(['desk', 'kiosk'])
  expect(await userByToken(db, token, later(2 * 365))).not.toBeNull()
  expect(await userByToken(db, used, later(2 * 365))).toBeNull()
})

it('W47 W49 a phone whose session has expired is still notified, and is listed so that it can be signed out, which ends that', async () => {
  const db = await aStore()
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const phone = wholeToken(await beginSession(db, { user: user.id, name: 'phone' }, noon))
  const { tokenId } = (await userByToken(db, phone, noon))!
  const keys = { p256dh: 'p', auth: 'a' }
  const subscription = { endpoint: 'https://push.example/phone', keys }
  await addPushSubscription(db, { user: user.id, tokenId }, subscription, noon)

  const nextWeek = later(7)
  expect(await userByToken(db, phone, nextWeek)).toBeNull()
  expect(await pushSubscriptionsOf(db, user.id, nextWeek)).toHaveLength(1)
  expect(await listSessions(db, user.id, null, nextWeek)).toMatchObject([
    { name: 'phone', expiresAt: later(1).toISOString() },
  ])
  // A phone in a drawer is not notified for ever.
  expect(await pushSubscriptionsOf(db, user.id, later(90.1))).toEqual([])
  expect(await endSession(db, user.id, tokenId, nextWeek)).toBe(true)
  expect(await pushSubscriptionsOf(db, user.id, nextWeek)).toEqual([])
  expect(await listSessions(db, user.id, null, nextWeek)).toEqual([])
})

it('W47 a session that only an open stream looks at is not used, and ends in time', async () => {
  const db = await aStore()
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const signIn = new SignIn(db, new Secret(Buffer.alloc(32, 1)))
  const anHourAgo = new Date(Date.now() - 3600_000)
  const token = wholeToken(await beginSession(db, { user: user.id, name: 'desk' }, anHourAgo))
  const ends = async () => (await listSessions(db, user.id, null, new Date()))[0]!.expiresAt
  const before = await ends()
  expect(await signIn.isGood(token)).toBe(true)
  expect(await ends()).toBe(before)
  await signIn.principal(token, undefined)
  expect(await ends()).not.toBe(before)
})

it('W47 the hub refuses the token of a revoked session as revoked, and that of an expired one as expired', async () => {
  const db = await aStore()
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const signIn = new SignIn(db, new Secret(Buffer.alloc(32, 1)))
  const old = wholeToken(await beginSession(db, { user: user.id, name: 'drawer' }, later(-3 * 365)))
  await expect(signIn.principal(old, undefined)).rejects.toMatchObject({ code: 'token.expired' })
  expect(await signIn.isGood(old)).toBe(false)
  await revokeTokens(db, 'ada', new Date())
  await expect(signIn.principal(old, undefined)).rejects.toMatchObject({ code: 'token.revoked' })
  expect(await signIn.isGood(old)).toBe(false)
  await expect(signIn.principal('fhs_nobodys', undefined)).rejects.toMatchObject({ code: 'token.invalid' })
})

it('W47 a user who is signed out during a look-up is not remembered as signed in', async () => {
  const db = await aStore()
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const token = wholeToken(await beginSession(db, { user: user.id, name: 'desk' }, new Date()))
  const signIn = new SignIn(db, new Secret(Buffer.alloc(32, 1)))
  const asked = signIn.principal(token, undefined)
  signIn.forget()
  expect(await asked).toMatchObject({ name: 'ada' })
  expect(signIn.known(token, undefined)).toBeUndefined()
})

it('W47 neither half of the token of a session opens anything alone', async () => {
  const db = await aStore()
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const { cookie, key } = await beginSession(db, { user: user.id, name: 'desk' }, noon)
  const other = await beginSession(db, { user: user.id, name: 'phone' }, noon)
  expect(await userByToken(db, wholeToken({ cookie, key }), noon)).not.toBeNull()
  for (const half of [cookie, key, `${cookie}.`, `.${key}`, wholeToken({ cookie, key: other.key })])
    expect(await userByToken(db, half, noon)).toBeNull()
})
