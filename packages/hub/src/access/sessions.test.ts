import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionDays } from '@farhand/protocol/schemas/sessions'
import { expect, it, onTestFinished } from 'vitest'
import { addPushSubscription, pushSubscriptionsOf } from '../store/push-subscriptions.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { Secret } from './secret.ts'
import { beginSession, listSessions, wholeToken } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { markTokenUsed, revokeTokens, userByToken } from './tokens.ts'
import { addUser } from './users.ts'

const noon = new Date('2026-03-01T12:00:00.000Z')
const later = (days: number) => new Date(noon.getTime() + days * 24 * 3600_000)

async function aStore() {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-sessions-'))
  const { db, close } = await openSqliteStore(join(dir, 'hub.sqlite'))
  onTestFinished(async () => {
    await close()
    await rm(dir, { recursive: true })
  })
  return db
}

it('W47 a session that is unused for long ends and gets no more notifications; each use extends it, and tokens stay valid', async () => {
  const db = await aStore()
  const { user, token } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const [used, left] = [
    wholeToken(await beginSession(db, user.id, 'desk', noon)),
    wholeToken(await beginSession(db, user.id, 'phone', noon)),
  ]
  const keys = { p256dh: 'p', auth: 'a' }
  for (const one of [used, left]) {
    const { tokenId } = (await userByToken(db, one, noon))!
    await addPushSubscription(
      db,
      { user: user.id, tokenId },
      { endpoint: `https://push.example/${tokenId}`, keys },
      noon,
    )
  }
  const lastDay = later(sessionDays)
  expect(await userByToken(db, left, lastDay)).not.toBeNull()
  await markTokenUsed(db, (await userByToken(db, used, lastDay))!.tokenId, lastDay)

  const tooLate = later(sessionDays + 0.1)
  expect(await userByToken(db, left, tooLate)).toBeNull()
  expect(await userByToken(db, used, tooLate)).not.toBeNull()
  expect((await listSessions(db, user.id, null, tooLate)).map(({ name }) => name)).toEqual(['desk'])
  expect(await pushSubscriptionsOf(db, user.id, tooLate)).toHaveLength(1)
  expect(await userByToken(db, token, later(2 * 365))).not.toBeNull()
  expect(await userByToken(db, used, later(2 * 365))).toBeNull()
})

it('W47 the hub refuses the token of a revoked session as revoked, and that of an expired one only as invalid', async () => {
  const db = await aStore()
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const signIn = new SignIn(db, new Secret(Buffer.alloc(32, 1)))
  const old = wholeToken(await beginSession(db, user.id, 'drawer', later(-3 * 365)))
  await expect(signIn.principal(old, undefined)).rejects.toMatchObject({ code: 'token.invalid' })
  await revokeTokens(db, 'ada', new Date())
  await expect(signIn.principal(old, undefined)).rejects.toMatchObject({ code: 'token.revoked' })
  expect(await signIn.isGood(old)).toBe(false)
  await expect(signIn.principal('fhs_nobodys', undefined)).rejects.toMatchObject({ code: 'token.invalid' })
})

it('W47 a user who is signed out during a look-up is not remembered as signed in', async () => {
  const db = await aStore()
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const token = wholeToken(await beginSession(db, user.id, 'desk', new Date()))
  const signIn = new SignIn(db, new Secret(Buffer.alloc(32, 1)))
  const asked = signIn.principal(token, undefined)
  signIn.forget()
  expect(await asked).toMatchObject({ name: 'ada' })
  expect(signIn.known(token, undefined)).toBeUndefined()
})

it('W47 neither half of the token of a session opens anything alone', async () => {
  const db = await aStore()
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const { cookie, key } = await beginSession(db, user.id, 'desk', noon)
  const other = await beginSession(db, user.id, 'phone', noon)
  expect(await userByToken(db, wholeToken({ cookie, key }), noon)).not.toBeNull()
  for (const half of [cookie, key, `${cookie}.`, `.${key}`, wholeToken({ cookie, key: other.key })])
    expect(await userByToken(db, half, noon)).toBeNull()
})
