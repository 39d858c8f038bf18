import { makeSignInCode, signIn } from '@farhand/client/resources/sessions'
import { SessionPage, signInLink } from '@farhand/protocol/schemas/sessions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { patient, type Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

const keptIn = ({ page }: Visit) =>
  page.evaluate(() =>
    Object.keys(localStorage)
      .filter((name) => name !== 'farhand.theme')
      .sort(),
  )

/** A link for a phone is good once, and is nowhere any more when its sheet is closed. */
async function addsAPhone({ page }: Visit): Promise<void> {
  const add = page.getByRole('button', { name: 'Add a phone' })
  const sheet = page.getByRole('dialog', { name: 'Add a phone' })
  await add.press('Enter')
  await sheet.getByText('it listens to this machine only').waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.route('**/api/sign-in-codes', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), urls: ['http://192.0.2.7:7717'] } })
  })
  // Who came with the keyboard is where they were.
  await expect.poll(() => add.evaluate((one) => one === document.activeElement), patient).toBe(true)
  await page.keyboard.press('Enter')
  await sheet.getByRole('img', { name: 'The link as a QR code' }).waitFor()
  await sheet.getByText('http://192.0.2.7:7717').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  const code = (await sheet.getByText(/^\w{5}-\w{5}$/).textContent()) ?? ''
  const signedOut = { url: new URL(page.url()).origin, token: '' }
  expect(await signIn(signedOut, { code })).toMatchObject({ role: 'owner' })
  await expect(signIn(signedOut, { code })).rejects.toMatchObject({ code: 'code.invalid' })
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  const left = await page.evaluate(async () => {
    const kept = await Promise.all(
      (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
    )
    const addresses = kept.flat().map(({ url }) => url)
    return JSON.stringify([location.href, document.body.outerHTML, { ...localStorage }, addresses])
  })
  for (const one of [code, code.replace('-', ''), 'sign-in-codes']) expect(left).not.toContain(one)
}

describe.skipIf(!hasBrowser)('signing in', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  it('a link signs a browser in once; a signed-out user sees nothing of any run, and finds their drafts after signing in', async () => {
    const { run } = await stage.emptyRun('Water the roses')
    const { code } = await makeSignInCode(stage.hub)
    const first = await stage.browsers.stranger('phone')
    await first.page.goto(signInLink(stage.hub.url, code))
    await first.page.getByText('Water the roses').waitFor()
    expect(first.page.url()).not.toContain(code)
    expect(first.wrongs).toEqual([])

    const second = await stage.browsers.stranger()
    await second.page.goto(signInLink(stage.hub.url, code))
    await second.page.getByRole('alert').waitFor()
    expect(await second.page.getByText('Water the roses').count()).toBe(0)
    expect((await second.ask('/api/runs')).status).toBe(401)

    // A session that ended by itself takes no words along.
    await first.page.getByText('Water the roses').click()
    const field = first.page.getByRole('textbox', { name: 'Message' })
    await field.fill('Not too much')
    await first.context.clearCookies()
    await first.page.reload()
    await first.page.getByText('kept until you sign in again').waitFor()
    expect(await keptIn(first)).toEqual([expect.stringContaining(`draft.${run}.`), 'farhand.words-of'])
    await first.page.getByLabel('Or type the code').fill((await makeSignInCode(stage.hub)).code)
    await first.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect.poll(() => field.inputValue(), patient).toBe('Not too much')
    await Promise.all([first.close(), second.close()])
  })

  it('a device that is signed out from another one is signed out at once, and signing out leaves nothing behind', async () => {
    const [phone, desk] = [await stage.browsers.visitor('phone'), await stage.browsers.visitor()]
    await phone.page.goto('/settings')
    await desk.page.goto('/settings')
    await phone.page.getByText('this device', { exact: true }).waitFor()
    const { items } = SessionPage.parse((await phone.ask('/api/sessions')).body)
    const { id } = items.find((one) => one.isThis)!
    const leftIn = async (one: Visit) => [
      ...(await one.page.evaluate(() => indexedDB.databases())).map(({ name }) => name),
      ...(await keptIn(one)),
    ]
    for (const { page } of [phone, desk])
      await page.evaluate(() => {
        for (const name of ['theme', 'new', 'seen', 'comments.run_1', 'draft.run_1', 'push'])
          localStorage.setItem(`farhand.${name}`, '{}')
      })
    // What a device is called shows everywhere else it is listed, letter for letter.
    const called = '<b>Kitchen</b>'
    await phone.page.getByRole('listitem').filter({ hasText: 'this device' }).getByRole('button').click()
    await phone.page.getByRole('textbox', { name: 'Name of this device' }).fill(called)
    await phone.page.keyboard.press('Enter')
    await phone.page.getByRole('button', { name: `Rename ${called}` }).waitFor()
    await desk.page.reload()
    await desk.page.getByText(called, { exact: true }).waitFor()
    await addsAPhone(desk)
    const others = desk.page.getByRole('button', { name: /^Sign out (Chrome|<b>)/ })
    const agree = () => desk.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await others.first().waitFor()
    for (let left = await others.count(); left > 0; left -= 1) {
      await others.first().click()
      await agree()
      await expect.poll(() => others.count(), patient).toBe(left - 1)
    }
    await phone.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expect.poll(() => leftIn(phone), patient).toEqual([])
    const left = await desk.ask('/api/sessions')
    expect(left.status).toBe(200)
    expect(JSON.stringify(left.body)).not.toContain(id)

    await desk.page.getByRole('button', { name: 'Sign out here' }).click()
    const sheet = desk.page.getByRole('dialog', { name: 'Sign out on this device?' })
    await sheet.getByText('you will need a new link from npx farhand up').waitFor()
    // Who did not mean it is still here.
    await sheet.getByRole('button', { name: 'Stay signed in' }).click()
    await sheet.waitFor({ state: 'detached' })
    await desk.page.getByRole('button', { name: 'Sign out here' }).click()
    await agree()
    await desk.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await desk.context.cookies()).toEqual([])
    await expect.poll(() => leftIn(desk), patient).toEqual([])
    await Promise.all([phone.close(), desk.close()])
  })
})
