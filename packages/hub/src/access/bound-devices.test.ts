import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { bindDevice, listDevices, refreshDevice, revokeDevice } from './bound-devices.ts'
import { claimDevice, standingOf } from './devices.ts'
import { Secret } from './secret.ts'
import { markTokenUsed, revokeTokens, userByToken, whyNotValid } from './tokens.ts'
import { addUser } from './users.ts'

const noon = new Date('2026-03-01T12:00:00.000Z')
const secret = new Secret(Buffer.alloc(32, 7))
const later = (days: number) => new Date(noon.getTime() + days * 24 * 3600_000)

async function aStore() {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-devices-'))
  const { db, close } = await openSqliteStore(join(dir, 'hub.sqlite'))
  onTestFinished(async () => {
    await close()
    await rm(dir, { recursive: true })
  })
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  const { user: bob } = await addUser(db, { name: 'bob', role: 'member' }, noon)
  const bind = (name = 'laptop') => bindDevice({ db, secret }, { user: user.id, name }, noon)
  const refreshed = async (token: string, now: Date) => {
    const answer = await refreshDevice({ db, secret }, token, now)
    if ('no' in answer) throw new Error(`refused as ${answer.no}`)
    return answer.tokens
  }
  const use = async (token: string, now: Date) =>
    await markTokenUsed(db, (await userByToken(db, token, now))!, now, 1)
  return { db, ada: user.id, bob: bob.id, bind, refreshed, use }
}

describe('a bound device', () => {
  it('W70 gets a token for 90 days, and only hashes of its tokens are stored', async () => {
    const { db, ada, bind } = await aStore()
    const tokens = await bind()
    expect(tokens.expires_at).toBe(later(90).toISOString())
    const use = { user: { name: 'ada' }, kind: 'device', device: tokens.device_id }
    expect(await userByToken(db, tokens.acp_token, later(89.9))).toMatchObject(use)
    expect(await userByToken(db, tokens.acp_token, later(90.1))).toBeNull()
    const stored = JSON.stringify([
      await db.selectFrom('acp_devices').selectAll().execute(),
      await db.selectFrom('tokens').selectAll().execute(),
    ])
    for (const token of [tokens.acp_token, tokens.refresh_token]) expect(stored).not.toContain(token.slice(4))
    expect(await listDevices(db, ada, tokens.device_id)).toMatchObject([{ name: 'laptop', isThis: true }])
  })

  it('W71 gets new tokens for its refresh token; the token of before works for another day', async () => {
    const { db, bind, refreshed } = await aStore()
    const first = await bind()
    const second = await refreshed(first.refresh_token, later(84))
    expect(second).toMatchObject({ device_id: first.device_id, expires_at: later(174).toISOString() })
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(await userByToken(db, second.acp_token, later(170))).not.toBeNull()
    expect(await userByToken(db, first.acp_token, later(84.9))).not.toBeNull()
    expect(await userByToken(db, first.acp_token, later(85.1))).toBeNull()
  })

  it('W71 is revoked when a refresh token is used again after the tokens that it gave were used', async () => {
    const { db, ada, bind, refreshed, use } = await aStore()
    const first = await bind()
    const second = await refreshed(first.refresh_token, later(1))
    await use(second.acp_token, later(1))
    expect(await refreshDevice({ db, secret }, first.refresh_token, later(1))).toEqual({ no: 'reused' })
    for (const token of [first.acp_token, second.acp_token])
      expect(await whyNotValid(db, token), token).toBe('revoked')
    expect(await refreshDevice({ db, secret }, second.refresh_token, later(1))).toEqual({ no: 'revoked' })
    expect(await listDevices(db, ada, null)).toEqual([])
  })

  it('W71 whose answer got lost asks again with the same refresh token, also weeks later, and the lost tokens work no more', async () => {
    const { db, bind, refreshed, use } = await aStore()
    const first = await bind()
    const lost = await refreshed(first.refresh_token, later(84))
    const lostAgain = await refreshed(first.refresh_token, later(120))
    const second = await refreshed(first.refresh_token, later(121))
    for (const { acp_token } of [lost, lostAgain]) expect(await whyNotValid(db, acp_token)).toBe('revoked')
    await use(second.acp_token, later(121))
    const third = await refreshed(second.refresh_token, later(200))
    expect(await userByToken(db, third.acp_token, later(201))).not.toBeNull()
    // What got lost may have been found.
    expect(await refreshDevice({ db, secret }, lost.refresh_token, later(201))).toEqual({ no: 'reused' })
    expect(await userByToken(db, third.acp_token, later(201))).toBeNull()
  })

  it('W71 is revoked by a refresh token that was given more than a hundred exchanges ago', async () => {
    const { db, ada, bind, refreshed, use } = await aStore()
    const first = await bind()
    let last = first
    for (let count = 0; count < 110; count += 1) {
      last = await refreshed(last.refresh_token, later(1))
      await use(last.acp_token, later(1))
    }
    // Neither a text that this hub has not signed, nor one that was signed by another.
    const forged = new Secret(Buffer.alloc(32, 8))
    const other = await bindDevice({ db, secret: forged }, { user: ada, name: 'x' }, noon)
    const cut = other.refresh_token.replace(other.device_id, first.device_id)
    for (const unknown of [cut, `${first.refresh_token}x`, first.refresh_token.slice(0, -1), 'fhf_old', ''])
      expect(await refreshDevice({ db, secret }, unknown, later(1)), unknown).toEqual({ no: 'unknown' })
    expect(await userByToken(db, last.acp_token, later(1))).not.toBeNull()
    expect(await refreshDevice({ db, secret }, first.refresh_token, later(1))).toEqual({ no: 'reused' })
    expect(await userByToken(db, last.acp_token, later(1))).toBeNull()
  })

  it('W71 goes on with its present refresh token when the hub has a new secret', async () => {
    const { db, bind } = await aStore()
    const first = await bind()
    const renewed = { db, secret: new Secret(Buffer.alloc(32, 9)) }
    expect(await refreshDevice(renewed, first.refresh_token, later(1))).toHaveProperty('tokens')
  })

  it('W71 that asks twice at the same moment with one refresh token has one pair of tokens that works', async () => {
    const { db, bind } = await aStore()
    const first = await bind()
    const both = await Promise.all(
      [1, 2].map(() => refreshDevice({ db, secret }, first.refresh_token, later(84))),
    )
    const tokens = both.flatMap((answer) => ('tokens' in answer ? [answer.tokens] : []))
    const valid = await Promise.all(tokens.map(({ acp_token }) => userByToken(db, acp_token, later(84))))
    expect(valid.filter((use) => use !== null)).toHaveLength(1)
  })

  it('W74 is revoked by its user alone, with all its tokens', async () => {
    const { db, ada, bob, bind, refreshed } = await aStore()
    const first = await bind()
    const second = await refreshed(first.refresh_token, later(84))
    expect(await revokeDevice(db, bob, first.device_id, later(84))).toBe(false)
    expect(await revokeDevice(db, ada, first.device_id, later(84))).toBe(true)
    expect(await revokeDevice(db, ada, first.device_id, later(84))).toBe(false)
    for (const { acp_token } of [first, second]) expect(await whyNotValid(db, acp_token)).toBe('revoked')
    expect(await refreshDevice({ db, secret }, second.refresh_token, later(84))).toEqual({ no: 'revoked' })
  })

  it('W74 ends when all of its user is revoked', async () => {
    const { db, bind } = await aStore()
    const { acp_token, refresh_token } = await bind()
    await revokeTokens(db, 'ada', noon)
    expect(await whyNotValid(db, acp_token)).toBe('revoked')
    expect(await refreshDevice({ db, secret }, refresh_token, noon)).toEqual({ no: 'revoked' })
  })

  it('W70 is one of a hundred at most, and a revoked one makes room', async () => {
    const { db, ada, bind } = await aStore()
    const first = await bind()
    for (let count = 1; count < 100; count += 1) await bind(`device ${count}`)
    await expect(bind()).rejects.toMatchObject({ code: 'device.refused' })
    await revokeDevice(db, ada, first.device_id, noon)
    await bind()
  }, 60_000)
})

describe('a Device-Id', () => {
  const folder = newId(DeviceId, 'dev')

  it('W75 counts under the token of a device if it is that device, or a folder that was claimed under it', async () => {
    const { db, ada, bind } = await aStore()
    const [laptop, desktop] = [(await bind()).device_id, (await bind('desktop')).device_id]
    const onLaptop = { user: ada, device: laptop }
    expect(await standingOf(db, onLaptop, laptop)).toBe('own')
    expect(await standingOf(db, onLaptop, folder)).toBe('unclaimed')
    await claimDevice(db, onLaptop, folder, noon)
    expect(await standingOf(db, onLaptop, folder)).toBe('own')
    expect(await standingOf(db, { user: ada, device: null }, folder)).toBe('own')
    for (const named of [laptop, folder])
      await expect(standingOf(db, { user: ada, device: desktop }, named)).rejects.toMatchObject({
        code: 'device.refused',
      })
  })

  it('W75 of a folder that was linked before its computer was bound, or bound again, goes on', async () => {
    const { db, ada, bind } = await aStore()
    await claimDevice(db, { user: ada, device: null }, folder, noon)
    const first = (await bind()).device_id
    expect(await standingOf(db, { user: ada, device: first }, folder)).toBe('unclaimed')
    await claimDevice(db, { user: ada, device: first }, folder, noon)
    const again = { user: ada, device: (await bind()).device_id }
    await expect(claimDevice(db, again, folder, noon)).rejects.toMatchObject({ code: 'device.refused' })
    await revokeDevice(db, ada, first, noon)
    await claimDevice(db, again, folder, noon)
    expect(await standingOf(db, again, folder)).toBe('own')
  })

  it('W75 of another user, or of a revoked device, is refused', async () => {
    const { db, ada, bob, bind } = await aStore()
    const { device_id } = await bind()
    await claimDevice(db, { user: ada, device: null }, folder, noon)
    for (const named of [device_id, folder])
      await expect(standingOf(db, { user: bob, device: null }, named)).rejects.toMatchObject({
        code: 'device.refused',
      })
    await revokeDevice(db, ada, device_id, noon)
    await expect(standingOf(db, { user: ada, device: null }, device_id)).rejects.toMatchObject({
      code: 'device.refused',
    })
  })
})
