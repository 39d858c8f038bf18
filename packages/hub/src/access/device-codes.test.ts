import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { listDevices } from './bound-devices.ts'
import { beginDeviceCode, decideDeviceCode, pollDeviceCode, waitingDevice } from './device-codes.ts'
import { Secret } from './secret.ts'
import { userByToken } from './tokens.ts'
import { addUser } from './users.ts'

const noon = new Date('2026-03-01T12:00:00.000Z')
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000)
const secret = new Secret(Buffer.alloc(32, 7))
const headless = { name: 'build-box', address: '192.0.2.7' }

async function aStore() {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-codes-'))
  const { db, close } = await openSqliteStore(join(dir, 'hub.sqlite'))
  onTestFinished(async () => {
    await close()
    await rm(dir, { recursive: true })
  })
  const { user } = await addUser(db, { name: 'ada', role: 'member' }, noon)
  return { db, ada: user.id }
}

it('W73 a user sees which device waits for a code, approves it, and the device gets its tokens once', async () => {
  const { db, ada } = await aStore()
  const { deviceCode, userCode } = await beginDeviceCode(db, headless, noon)
  expect(userCode).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
  expect(await pollDeviceCode({ db, secret }, deviceCode, later(5))).toEqual({ is: 'pending' })
  expect(await waitingDevice(db, userCode.toLowerCase(), later(6))).toEqual({
    ...headless,
    ...{ since: noon.toISOString(), until: later(600).toISOString() },
  })
  const decision = { user: ada, isApproved: true }
  expect(await decideDeviceCode(db, userCode, decision, later(7))).toBe(true)
  expect(await decideDeviceCode(db, userCode, { ...decision, isApproved: false }, later(8))).toBe(false)
  const polled = await pollDeviceCode({ db, secret }, deviceCode, later(10))
  if (polled.is !== 'approved') throw new Error(`it is ${polled.is}`)
  expect(await userByToken(db, polled.tokens.acp_token, later(11))).toMatchObject({ user: { id: ada } })
  expect(await listDevices(db, ada, null)).toMatchObject([{ name: 'build-box' }])
  expect(await pollDeviceCode({ db, secret }, deviceCode, later(15))).toEqual({ is: 'expired' })
})

it('W73 a refused code gives no tokens, and one that is not decided expires after ten minutes', async () => {
  const { db, ada } = await aStore()
  const refused = await beginDeviceCode(db, headless, noon)
  await decideDeviceCode(db, refused.userCode, { user: ada, isApproved: false }, later(1))
  expect(await pollDeviceCode({ db, secret }, refused.deviceCode, later(5))).toEqual({ is: 'refused' })
  const late = await beginDeviceCode(db, headless, noon)
  expect(await waitingDevice(db, late.userCode, later(601))).toBeNull()
  expect(await decideDeviceCode(db, late.userCode, { user: ada, isApproved: true }, later(601))).toBe(false)
  expect(await pollDeviceCode({ db, secret }, late.deviceCode, later(601))).toEqual({ is: 'expired' })
  expect(await pollDeviceCode({ db, secret }, 'fhc_unknown', noon)).toEqual({ is: 'expired' })
  expect(await listDevices(db, ada, null)).toEqual([])
})

it('W73 a device that asks more often than every five seconds is told to slow down', async () => {
  const { db } = await aStore()
  const { deviceCode } = await beginDeviceCode(db, headless, noon)
  const asked = [5, 6, 7, 10, 12].map(
    (seconds) => () => pollDeviceCode({ db, secret }, deviceCode, later(seconds)),
  )
  const said: string[] = []
  for (const ask of asked) said.push((await ask()).is)
  expect(said).toEqual(['pending', 'slow-down', 'slow-down', 'pending', 'slow-down'])
})

it('W73 from one address ten devices may wait, and codes that have expired make room', async () => {
  const { db } = await aStore()
  for (let count = 0; count < 10; count += 1) await beginDeviceCode(db, headless, noon)
  await expect(beginDeviceCode(db, headless, noon)).rejects.toMatchObject({ code: 'code.too-often' })
  await beginDeviceCode(db, { ...headless, address: '192.0.2.8' }, noon)
  await beginDeviceCode(db, headless, later(601))
})
