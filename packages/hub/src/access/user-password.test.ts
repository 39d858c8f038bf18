import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSqliteStore, type Store } from '../store/sqlite-store.ts'
import { PasswordHasher } from './passwords/password-hasher.ts'
import { revokeTokens } from './tokens.ts'
import { passwordSince, removePassword, setPassword, userByPassword } from './user-password.ts'
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

const whoIs = (username: string, password: string) => userByPassword(store.db, hasher, { username, password })

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

it('W72 of a flood of passwords the hub refuses those that would have to wait long', async () => {
  const flood = await Promise.allSettled(Array.from({ length: 40 }, () => hasher.isRight(right, null)))
  const refused = flood.filter((one) => one.status === 'rejected')
  expect(refused).toHaveLength(24)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'hub.busy' })
  expect(await hasher.isRight(right, await hasher.hash(right))).toBe(true)
})
