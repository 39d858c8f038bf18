import { makeSignInCode, signIn } from '@farhand/client/resources/sessions'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { CuttableProxy } from './cuttable-proxy.ts'
import { patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

const row = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByText(title, { exact: true }) })

describe.skipIf(!hasBrowser)('a user who was away', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  it('finds unread on one device what they did not read on another, in order of age', async () => {
    const first = await stage.run('Older')
    await stage.run('Newer')
    const [desk, phone] = [await stage.browsers.visitor(), await stage.browsers.visitor('phone')]
    await Promise.all([desk.page.goto('/'), phone.page.goto('/')])
    await row(phone.page, 'Newer').waitFor()
    await stage.turn(first, 'say hello')
    await row(phone.page, 'Older').getByText('unread').waitFor()
    // What was active last is first, whichever was begun first.
    const titles = () => desk.page.locator('[data-run]').allTextContents()
    await expect.poll(async () => (await titles())[0], patient).toContain('Older')
    await row(desk.page, 'Older').getByRole('link').click()
    await row(phone.page, 'Older').getByText('unread').waitFor({ state: 'detached' })
    expect([...desk.wrongs, ...phone.wrongs]).toEqual([])
    await Promise.all([desk.close(), phone.close()])
  })

  it('is told on every page at once that the hub cannot be reached', async () => {
    const at = await stage.emptyRun('Out of reach')
    const visit = await stage.browsers.visitor()
    const { page, context } = visit
    for (const path of ['/', '/new', '/settings', `/runs/${at.run}`, `/runs/${at.run}/files`]) {
      await page.goto(path)
      await page.getByText('Older').first().waitFor()
      if (path.startsWith('/runs/')) await page.getByRole('main').getByText('Connected').waitFor()
      // A browser tells the page before it blocks its requests: a request in between would get through.
      await context.route('**/api/**', (route) => route.abort('internetdisconnected'))
      await context.setOffline(true)
      await page
        .getByText(/^(Offline|Reconnecting)/)
        .first()
        .waitFor()
      if (path === '/') {
        // On a phone what can be pressed beside it is one line.
        const size = page.viewportSize()!
        await page.setViewportSize({ width: 360, height: 700 })
        const lines = await page
          .getByRole('button', { name: 'Try again' })
          .filter({ visible: true })
          .evaluate((button) => {
            const range = document.createRange()
            range.selectNodeContents(button.lastChild!)
            return range.getClientRects().length
          })
        expect(lines).toBe(1)
        await page.setViewportSize(size)
      }
      if (path !== '/')
        await page
          .getByRole('main')
          .getByText(/Offline|Reconnecting/)
          .first()
          .waitFor()
      await context.unroute('**/api/**')
      await context.setOffline(false)
      await page
        .getByRole('main')
        .getByText(/Offline|Reconnecting/)
        .first()
        .waitFor({ state: 'detached' })
    }
    await visit.close()
  })

  it('sees that the phone is signed in when its link was used', async () => {
    const visit = await stage.browsers.visitor()
    const { page } = visit
    await page.route('**/api/sign-in-codes', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), urls: ['http://192.0.2.7:7717'] } })
    })
    await page.goto('/settings')
    await page.getByRole('button', { name: 'Add a phone' }).click()
    const sheet = page.getByRole('dialog', { name: 'Add a phone' })
    await sheet.getByText(/^\w{5}-\w{5}$/).waitFor()
    const { code } = await makeSignInCode(stage.hub)
    await expect
      .poll(async () => {
        await signIn({ url: stage.hub.url, token: '' }, { code }).catch(() => {})
        return await sheet
          .getByRole('status')
          .textContent({ timeout: 3000 })
          .catch(() => '')
      }, patient)
      .toContain('is signed in.')
    await visit.close()
  })

  it('is asked before a message goes out that they wrote long ago', async () => {
    const at = await stage.emptyRun('Long ago')
    const way = await CuttableProxy.to(stage.process.port)
    const visit = await stage.browsers.visitor('desktop', { baseURL: way.url })
    const { page: old, context } = visit
    await old.goto(`/runs/${at.run}`)
    await old.getByText('Connected').waitFor()
    // The way itself is cut, until the page is gone: a page that is being left may still send when the network is back.
    way.cut()
    await old.getByRole('textbox', { name: 'Message' }).fill('dig the old bed')
    await old.keyboard.press('Enter')
    await old.getByText('Saved here until the hub can be reached').waitFor()
    await old.close()
    way.mend()
    // Months pass.
    await context.addInitScript(() => {
      const now = Date.now
      Date.now = () => now() + 100 * 24 * 3600_000
    })
    const page = await context.newPage()
    await page.goto(`/runs/${at.run}`)
    await page.getByText(/and never sent\. Send it now\?/).waitFor()
    const isSaid = async () =>
      (await visit.ask(`/api/runs/${at.run}`)).body as { now: { lastEventId: number } }
    expect((await isSaid()).now.lastEventId).toBe(0)
    await page.getByRole('button', { name: 'Send it now' }).click()
    await expect.poll(async () => (await isSaid()).now.lastEventId, patient).toBeGreaterThan(0)
    await visit.close()
    await way.close()
  })

  it('finds the run first that was active last, though it is older than a whole page of others, with the ages in order', async () => {
    const old = await stage.emptyRun('From long ago')
    for (let n = 0; n < 52; n += 1) await stage.emptyRun(`Newer ${n}`)
    await stage.say(old, 'go on')
    for (const device of ['desktop', 'phone'] as const) {
      const visit = await stage.browsers.visitor(device)
      await visit.page.goto('/')
      const ages = async () =>
        await visit.page
          .locator('[data-run]')
          .filter({ hasText: 'Garden' })
          .locator('time')
          .evaluateAll((all) => all.map((one) => one.getAttribute('datetime') ?? ''))
      await row(visit.page, 'From long ago').waitFor()
      const shown = await visit.page.locator('[data-run]').allTextContents()
      const found = shown.findIndex((text) => text.includes('From long ago'))
      expect(shown.slice(0, found).filter((text) => text.includes('Newer'))).toEqual([])
      await row(visit.page, 'Newer 51').waitFor()
      const earlier = (await ages()).slice(found + 1)
      expect(earlier.length).toBeGreaterThan(3)
      expect(earlier).toEqual(earlier.toSorted().toReversed())
      await visit.close()
    }
  })
})
