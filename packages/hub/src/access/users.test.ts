import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserId } from '@farhand/protocol/wire/ids'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore, type Store } from '../store/sqlite-store.ts'
import { addToken, markTokenUsed, revokeTokens, userByToken, whyNotValid } from './tokens.ts'
import { listUserTokens, revokeUserToken } from './user-tokens.ts'
import { addUser, ensureOwner, isActiveUser, listUsers } from './users.ts'

const noon = new Date('2026-03-01T12:00:00.000Z')
const later = (hours: number) => new Date(noon.getTime() + hours * 3600_000)
let dir: string
let store: Store
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-users-'))
  store = await openSqliteStore(join(dir, 'hub.sqlite'))
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

describe('users', () => {
  it('are found by their token, and by nothing else', async () => {
    const { user, token } = await addUser(store.db, { name: 'ada', role: 'member' }, noon)
    expect(token).toMatch(/^fh_[0-9A-Za-z]{40}$/)
    expect(await userByToken(store.db, token)).toEqual({
      user,
      ...{ tokenId: expect.stringMatching(/^tok_/), kind: 'token', device: null },
    })
    for (const wrong of ['', 'fh_', token.slice(0, -1), `${token}x`, user.id, 'ada']) {
      expect(await userByToken(store.db, wrong)).toBeNull()
    }
  })

  it('W95 have a way in with a token or with a password, until all of that is revoked', async () => {
    const { user, token } = await addUser(store.db, { name: 'ada', role: 'member' }, noon)
    expect(await isActiveUser(store.db, user.id)).toBe(true)
    const { tokenId } = (await userByToken(store.db, token))!
    await revokeUserToken(store.db, user.id, tokenId, noon)
    expect(await isActiveUser(store.db, user.id)).toBe(false)
    const hash = { user_id: user.id, hash: 'a hash', changed_at: noon.toISOString() }
    await store.db.insertInto('passwords').values(hash).execute()
    expect(await isActiveUser(store.db, user.id)).toBe(true)
    await revokeTokens(store.db, 'ada', noon)
    expect(await isActiveUser(store.db, user.id)).toBe(false)
    await addToken(store.db, 'ada', noon, 'ci', 2)
    expect(await isActiveUser(store.db, user.id, later(47))).toBe(true)
    expect(await isActiveUser(store.db, user.id, later(49))).toBe(false)
  })

  it('cannot have the name of another user, nor one that cannot be typed', async () => {
    await addUser(store.db, { name: 'ada', role: 'member' }, noon)
    for (const name of ['ada', '', ' ', ' ada', 'a\nb', 'a\0', 'x'.repeat(101)]) {
      const refused = addUser(store.db, { name, role: 'member' }, noon)
      await expect(refused).rejects.toMatchObject({ code: 'request.malformed', details: { field: 'name' } })
    }
    expect(await listUsers(store.db)).toHaveLength(1)
  })

  it('are listed with the tokens that still work', async () => {
    await addUser(store.db, { name: 'ada', role: 'owner' }, noon)
    await addUser(store.db, { name: 'Grace Hopper', role: 'member' }, later(1))
    await addToken(store.db, 'ada', noon)
    await revokeTokens(store.db, 'Grace Hopper', noon)
    expect(await listUsers(store.db)).toMatchObject([
      { name: 'ada', role: 'owner', tokens: 2, createdAt: noon.toISOString() },
      { name: 'Grace Hopper', role: 'member', tokens: 0 },
    ])
  })
})

describe('tokens', () => {
  it('may be several, and all of them go when they are revoked', async () => {
    const { user, token } = await addUser(store.db, { name: 'ada', role: 'member' }, noon)
    const second = await addToken(store.db, 'ada', noon)
    expect((await userByToken(store.db, second.token))?.user).toEqual(user)
    expect(await revokeTokens(store.db, 'ada', noon)).toEqual({ revoked: 2 })
    expect(await userByToken(store.db, token)).toBeNull()
    expect(await userByToken(store.db, second.token)).toBeNull()
    const third = await addToken(store.db, 'ada', noon)
    expect(await userByToken(store.db, third.token)).not.toBeNull()
  })

  it('of a user who does not exist are refused with the name', async () => {
    await expect(addToken(store.db, 'eve', noon)).rejects.toThrow('no user called "eve"')
    await expect(revokeTokens(store.db, 'eve', noon)).rejects.toThrow('no user called "eve"')
  })

  it('W76 expire after as many days as they were made for, and are listed until they are revoked', async () => {
    const { user, token } = await addUser(store.db, { name: 'ada', role: 'member' }, noon)
    const short = await addToken(store.db, 'ada', noon, 'ci', 2)
    expect(await userByToken(store.db, short.token, later(47))).not.toBeNull()
    expect(await userByToken(store.db, short.token, later(49))).toBeNull()
    expect(await whyNotValid(store.db, short.token)).toBe('expired')
    expect(await userByToken(store.db, token, later(1000 * 24))).not.toBeNull()
    const tokens = await listUserTokens(store.db, user.id, null)
    expect(tokens.map(({ name, expiresAt }) => [name, expiresAt]).sort()).toEqual([
      ['ci', later(48).toISOString()],
      ['first', null],
    ])
    const { id } = tokens.find(({ name }) => name === 'first')!
    expect(await revokeUserToken(store.db, 'usr_another1' as UserId, id, noon)).toBe(false)
    expect(await revokeUserToken(store.db, user.id, id, noon)).toBe(true)
    expect(await userByToken(store.db, token)).toBeNull()
    expect(await listUserTokens(store.db, user.id, null)).toHaveLength(1)
  })

  it('are not stored as text', async () => {
    const { token } = await addUser(store.db, { name: 'ada', role: 'member' }, noon)
    await store.close()
    expect((await readFile(join(dir, 'hub.sqlite'))).includes(token.slice(3))).toBe(false)
    store = await openSqliteStore(join(dir, 'hub.sqlite'))
    expect(await userByToken(store.db, token)).not.toBeNull()
  })

  it('remember when they were last used, to the hour', async () => {
    const { token } = await addUser(store.db, { name: 'ada', role: 'member' }, noon)
    const use = (await userByToken(store.db, token))!
    const lastUsed = () => store.db.selectFrom('tokens').select('last_used_at').executeTakeFirst()
    for (const [hours, expected] of [
      [0, 0],
      [0.5, 0],
      [1.5, 1.5],
    ] as const) {
      await markTokenUsed(store.db, use, later(hours), 1)
      expect(await lastUsed()).toEqual({ last_used_at: later(expected).toISOString() })
    }
  })
})

describe('the first owner', () => {
  it('is made once, no matter how often the hub starts', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => ensureOwner(store.db, noon)))
    const tokens = made.filter((answer) => answer !== null)
    expect(tokens).toHaveLength(1)
    expect(await userByToken(store.db, tokens[0]!.token)).toMatchObject({ user: { role: 'owner' } })
    expect(await listUsers(store.db)).toHaveLength(1)
  })

  it('is made beside members, even one who is called owner', async () => {
    await addUser(store.db, { name: 'owner', role: 'member' }, noon)
    const { token } = (await ensureOwner(store.db, noon))!
    expect(await userByToken(store.db, token)).toMatchObject({ user: { role: 'owner' } })
  })

  it('is not made if there already is an owner', async () => {
    await addUser(store.db, { name: 'ada', role: 'owner' }, noon)
    expect(await ensureOwner(store.db, noon)).toBeNull()
  })
})
