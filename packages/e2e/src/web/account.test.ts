import { beginDeviceCode, deviceCodeAnswer } from '@farhand/client/resources/accounts'
import { whoAmI } from '@farhand/client/resources/sessions'
import { PasswordHasher } from '@farhand/hub/access/passwords/password-hasher'
import { idOfUser } from '@farhand/hub/access/tokens'
import { setPassword } from '@farhand/hub/access/user-password'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Device, hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { WebStage } from './web-stage.ts'

const password = 'correct horse battery'
const newer = 'staple staple battery'

describe.skipIf(!hasBrowser)('the account of a user', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
    const { db, close } = await openSqliteStore(`${stage.process.data}/store.sqlite`)
    const hasher = new PasswordHasher()
    await setPassword(db, hasher, await idOfUser(db, 'owner'), password, new Date())
    await hasher.close()
    await close()
  })
  afterAll(() => stage.close())

  async function signIn(page: Page, typed: string): Promise<void> {
    await page.getByLabel('User name').fill('owner')
    await page.getByLabel('Password', { exact: true }).fill(typed)
    await page.getByRole('button', { name: 'Sign in with password' }).click()
  }

  it('is entered with user name and password, which is changed there shortly after', async () => {
    const { page, wrongs, isTold, close } = await visited('desktop')
    await signIn(page, 'wrong password')
    await page.getByRole('alert').getByText('do not belong together').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await signIn(page, password)
    await page.getByText('You have bound no computer yet.').waitFor()
    expect(await page.getByLabel('Present password').count()).toBe(0)
    await page.getByLabel('New password').fill(newer)
    await page.getByRole('button', { name: 'Set password' }).click()
    await isTold('Your password is set.')
    await page.getByText(/^made .* does not expire$/).waitFor()
    await close()

    const again = await visited('desktop')
    await signIn(again.page, newer)
    await again.page.getByText('You have bound no computer yet.').waitFor()
    expect([...wrongs, ...again.wrongs]).toEqual([])
    await again.close()
  })

  it('binds a computer by its code on a phone, which shows what waits and from where, and revokes it', async () => {
    const visit = await visited('phone')
    const { page } = visit
    await signIn(page, newer)
    await page.getByText('You have bound no computer yet.').waitFor()
    const open = { url: stage.hub.url }
    const refused = await beginDeviceCode(open, 'a stranger')
    const box = await beginDeviceCode(open, '<b>build</b> box')
    await page.goto('/settings')
    const field = page.getByLabel('Approve a computer by its code')
    const waiting = page.getByRole('region', { name: 'A computer waits for your approval' })
    const lookUp = async (code: string) => {
      await field.fill(code)
      await page.getByRole('button', { name: 'Look it up' }).click()
    }
    await lookUp('WRONG-CODE')
    await page.getByText('No device waits for this code').waitFor()
    await lookUp(refused.user_code)
    await waiting.getByText('a stranger').waitFor()
    await waiting.getByRole('button', { name: 'Refuse' }).click()
    await lookUp(box.user_code.toLowerCase().replace('-', ' '))
    await waiting.getByText('<b>build</b> box').waitFor()
    await waiting.getByText('127.0.0.1').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await waiting.getByRole('button', { name: 'Approve' }).click()
    await visit.isTold('is bound in a moment')
    expect(await deviceCodeAnswer(open, refused.device_code)).toEqual({ status: 'refused' })
    const answer = await deviceCodeAnswer(open, box.device_code)
    if (answer.status !== 'approved') throw new Error(`it is ${answer.status}`)
    const device = { ...open, token: answer.acp_token }
    expect(await whoAmI(device)).toMatchObject({ name: 'owner' })

    await page.reload()
    await page.getByRole('button', { name: 'Revoke <b>build</b> box' }).click()
    const sheet = page.getByRole('dialog', { name: 'Revoke <b>build</b> box?' })
    await sheet.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('You have bound no computer yet.').waitFor()
    await expect(whoAmI(device)).rejects.toMatchObject({ code: 'token.revoked' })
    expect(visit.wrongs).toEqual([])
    await visit.close()
  })

  /** A browser without a signed-in user, at the settings. */
  async function visited(device: Device) {
    const visit = await stage.browsers.stranger(device)
    await visit.page.goto('/settings')
    const { page, wrongs } = visit
    return { page, wrongs, isTold: (words: string) => visit.isTold(words), close: () => visit.close() }
  }
})
