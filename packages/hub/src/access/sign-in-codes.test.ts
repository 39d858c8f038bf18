import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { makeOwnersCode, makeSignInCode, useSignInCode } from './sign-in-codes.ts'
import { addUser, ensureOwner } from './users.ts'

const noon = new Date('2026-03-01T12:00:00.000Z')
const later = (minutes: number) => new Date(noon.getTime() + minutes * 60_000)

it('W47 a code is valid for ten minutes, signs in the user it was made for, and is not stored in clear text', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-codes-'))
  const store = await openSqliteStore(join(dir, 'hub.sqlite'))
  onTestFinished(async () => {
    await store.close()
    await rm(dir, { recursive: true })
  })
  const { user } = await addUser(store.db, { name: 'ada', role: 'member' }, noon)
  await ensureOwner(store.db, noon)
  const [early, late] = [
    await makeSignInCode(store.db, user.id, noon),
    await makeSignInCode(store.db, user.id, noon),
  ]
  expect(early.until).toBe(later(10).toISOString())
  expect(await useSignInCode(store.db, early.code, later(10))).toEqual({
    ...{ user: user.id, device: null, tokenId: null, isOfMachine: true },
  })
  expect(await useSignInCode(store.db, late.code, later(10.1))).toBeNull()
  const owners = await makeOwnersCode(store.db, noon)
  const bytes = await readFile(join(dir, 'hub.sqlite'))
  expect(bytes.includes(late.code) || bytes.includes(owners)).toBe(false)
  const whose = await useSignInCode(store.db, owners, later(1))
  expect([whose === null, whose?.user === user.id]).toEqual([false, false])
})
