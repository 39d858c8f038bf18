import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSqliteStore, type Store } from '../store/sqlite-store.ts'
import { PasswordHasher } from './passwords/password-hasher.ts'
import { revokeTokens, userByToken } from './tokens.ts'
import {
  passwordSince,
  removePassword,
  requireSamePassword,
  setPassword,
  userByPassword,
} from './user-password.ts'
import { addUser } from './users.ts'

const noon = new Date('2026-03-01T12:00:00.000Z')
const right = 'correct horse battery'
const hasher = new PasswordHasher()
let dir: string
let store: Store
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-passwords-'))
  store = await openSqliteStore(join(dir, 'hub.sqlite'))
})
afterAll(async () => {
  await hasher.close()
  await store.close()
  await rm(dir, { recursive: true })
})

const check = (username: string, password: string) => userByPassword(store.db, hasher, { username, password })
const whoIs = async (username: string, password: string) => (await check(username, password))?.user ?? null

it('W77 a user is found by name and password together, and by no other password nor name', async () => {
  const { user } = await addUser(store.db, { name: 'ada', role: 'member' }, noon)
  await addUser(store.db, { name: 'bob', role: 'member' }, noon)
  expect(await whoIs('ada', right)).toBeNull()
  await setPassword(store.db, hasher, user.id, right, noon)
  expect(await whoIs('ada', right)).toBe(user.id)
  for (const [name, password] of [
    ['ada', `${right} `],
    ['Ada', right],
    ['bob', right],
    ['eve', right],
  ] as const)
    expect(await whoIs(name, password), `${name} ${password}`).toBeNull()
  // As it is typed on another system.
  await setPassword(store.db, hasher, user.id, 'Straße nach Zu\u0308rich', noon)
  expect(await whoIs('ada', 'Straße nach Z\u00fcrich')).toBe(user.id)
})

it('W77 a password is stored as an argon2id hash with a salt of its own, and not as text', async () => {
  const { user } = await addUser(store.db, { name: 'carol', role: 'member' }, noon)
  const hashes = [await hasher.hash(right), await hasher.hash(right)]
  for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(hashes[0]).not.toBe(hashes[1])
  await setPassword(store.db, hasher, user.id, 'a secret of carols own', noon)
  const bytes = await readFile(join(dir, 'hub.sqlite'))
  expect(bytes.includes('a secret of carols own')).toBe(false)
})

it('W77 a password that is short, the user name, or one letter again and again is refused', async () => {
  const { user } = await addUser(store.db, { name: 'grace-hopper', role: 'member' }, noon)
  for (const weak of ['short', 'x'.repeat(40), 'grace-hopper1', 'a'.repeat(1025)])
    await expect(setPassword(store.db, hasher, user.id, weak, noon)).rejects.toMatchObject({
      ...{ code: 'request.malformed', details: { field: 'password' } },
    })
  expect(await passwordSince(store.db, user.id)).toBeNull()
})

it('W77 a password ends when it is removed, and when all of its user is revoked', async () => {
  const { user } = await addUser(store.db, { name: 'dora', role: 'member' }, noon)
  await setPassword(store.db, hasher, user.id, right, noon)
  expect(await removePassword(store.db, user.id)).toBe(true)
  expect(await removePassword(store.db, user.id)).toBe(false)
  await setPassword(store.db, hasher, user.id, right, noon)
  await revokeTokens(store.db, 'dora', noon)
  expect(await whoIs('dora', right)).toBeNull()
})

it('W72 a password that was checked is worth nothing once all of its user is revoked', async () => {
  const { user } = await addUser(store.db, { name: 'emil', role: 'member' }, noon)
  await setPassword(store.db, hasher, user.id, right, noon)
  const checked = (await check('emil', right))!
  await requireSamePassword(store.db, checked)
  await revokeTokens(store.db, 'emil', noon)
  await expect(requireSamePassword(store.db, checked)).rejects.toMatchObject({ code: 'password.wrong' })
  // Set again, it is another hash: what was checked before stays worth nothing.
  await setPassword(store.db, hasher, user.id, right, noon)
  await expect(requireSamePassword(store.db, checked)).rejects.toMatchObject({ code: 'password.wrong' })
})

it('W77 a password that is set while its user is revoked, or while the old one changes, is not stored', async () => {
  const { user, token } = await addUser(store.db, { name: 'frida', role: 'member' }, noon)
  await setPassword(store.db, hasher, user.id, right, noon)
  const { tokenId } = (await userByToken(store.db, token))!
  const old = (await check('frida', right))!
  const interrupted = (meanwhile: () => Promise<unknown>) => ({
    hash: async (text: string) => {
      await meanwhile()
      return await hasher.hash(text)
    },
  })
  const others = 'changed by another browser'
  const changes = interrupted(() => setPassword(store.db, hasher, user.id, others, noon))
  await expect(
    setPassword(store.db, changes, user.id, 'a stolen account', noon, { tokenId, old }),
  ).rejects.toMatchObject({ code: 'password.wrong' })
  expect(await whoIs('frida', others)).toBe(user.id)
  const revokes = interrupted(() => revokeTokens(store.db, 'frida', noon))
  await expect(
    setPassword(store.db, revokes, user.id, 'a stolen account', noon, { tokenId, old: null }),
  ).rejects.toMatchObject({ code: 'token.revoked' })
  expect(await passwordSince(store.db, user.id)).toBeNull()
})

it('W72 of a flood of passwords the hub refuses those that would have to wait long', async () => {
  const flood = await Promise.allSettled(Array.from({ length: 40 }, () => hasher.isRight(right, null)))
  const refused = flood.filter((one) => one.status === 'rejected')
  expect(refused).toHaveLength(24)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'hub.busy' })
  expect(await hasher.isRight(right, await hasher.hash(right))).toBe(true)
})
