import { closeRun } from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Device, hasBrowser } from './browsers.ts'
import { faintWords, seriousViolations } from './serious-violations.ts'
import { patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

const work =
  'plan: look; write\nsay **Good** morning, `roses`\nwrite roses.ts with "const a = 1\\n"\nrun `ls`'

describe.skipIf(!hasBrowser)('every screen', () => {
  let stage: WebStage
  let at: RunAddress
  let closed: RunAddress
  beforeAll(async () => {
    stage = await WebStage.set()
    at = await stage.run('Water the roses')
    closed = await stage.emptyRun('Cut the hedge')
    await closeRun(stage.hub, closed)
    await stage.turn(at, work)
    const asked = await stage.say(
      at,
      'ask permission to write roses.ts with "const a = \'two\' // or three\\n"',
    )
    await stage.until(at, asked, ({ notification }) => notification.method === '_posthog/agent_question')
  })
  afterAll(() => stage?.close())

  /** Shows an address without loading the app again. */
  const go = (page: Page, address: string) =>
    page.evaluate((to) => {
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    }, address)

  const button = (page: Page, name: string | RegExp) =>
    page.getByRole('button', { name }).filter({ visible: true }).first()

  /** Looks at what is shown now, in both themes. A phone zooms in on a field with letters smaller than 16 px. */
  const lookAt = async (page: Page, name: string): Promise<string[]> => {
    const found = await seriousViolations(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    found.push(...(await faintWords(page)).map((wrong) => `dark ${wrong}`))
    await page.emulateMedia({ colorScheme: 'light' })
    const fields = page.locator('textarea, select, input:not([type=checkbox], [type=radio], [type=file])')
    const sizes = await fields.evaluateAll((all) =>
      all.map((one) => parseFloat(getComputedStyle(one).fontSize)),
    )
    const isTouched = await page.evaluate(() => matchMedia('(pointer: coarse)').matches)
    if (isTouched && sizes.some((size) => size < 16)) found.push(`letters of ${Math.min(...sizes)} px`)
    return found.map((wrong) => `${name}: ${wrong}`)
  }

  for (const device of ['desktop', 'phone'] as const satisfies Device[]) {
    it(`of a run have no accessibility problem, ${device}`, async () => {
      const visit = await stage.browsers.visitor(device)
      const { page } = visit
      const found: string[] = []
      const look = async (name: string) => found.push(...(await lookAt(page, name)))

      await page.goto(`/runs/${at.run}`)
      await page.getByRole('group', { name: 'Your answer' }).waitFor()
      await look('run that asks')
      const field = page.getByRole('textbox', { name: 'Message' })
      await field.fill('@r')
      await page.getByRole('option').first().waitFor()
      await look('palette')
      await page.keyboard.press('Escape')
      await field.fill('')
      await button(page, 'Actions for this run').click()
      await look('menu of a run')
      await page.getByRole('menuitem', { name: /Close/ }).click()
      await page.getByRole('dialog').waitFor()
      await look('dialog')
      await page.keyboard.press('Escape')

      await go(page, `/runs/${at.run}/files#file=roses.ts`)
      await page
        .locator('span', { hasText: /^const$/ })
        .first()
        .waitFor()
      await button(page, 'Comment on line 1').click()
      await look('file with a comment')
      await button(page, '1 version').click()
      await look('versions')
      await go(page, `/runs/${closed.run}`)
      await page.getByText('This run is closed').waitFor()
      await look('closed run')
      expect([...found, ...visit.wrongs]).toEqual([])
      await visit.close()
    })

    it(`beside runs have no accessibility problem, ${device}`, async () => {
      const visit = await stage.browsers.visitor(device)
      const { page } = visit
      const found: string[] = []
      const look = async (name: string) => found.push(...(await lookAt(page, name)))

      await page.goto('/')
      await page.getByText('Cut the hedge').waitFor()
      await look('list')
      await page.getByText('Cut the hedge').hover()
      await button(page, 'Actions for Cut the hedge').click()
      await look('menu in the list')
      await page.getByRole('menuitem', { name: 'Rename' }).click()
      await look('rename')
      await page.keyboard.press('Escape')
      await go(page, '/new')
      await page.getByText('Sandbox and network').click()
      await look('new run')
      await go(page, '/settings')
      await page.getByText('this device', { exact: true }).waitFor()
      await look('settings')
      await button(page, 'Keyboard shortcuts').click()
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await look('keys')
      await page.keyboard.press('Escape')
      await go(page, '/nonesuch')
      await page.getByText('Page not found').waitFor()
      await look('nowhere')
      expect([...found, ...visit.wrongs]).toEqual([])
      await visit.close()
    })
  }

  it('of a user who is not signed in, or whose hub is silent, have no accessibility problem', async () => {
    const visit = await stage.browsers.stranger('phone')
    const { page } = visit
    await page.goto('/in')
    await page.getByLabel('Or type the code').fill('AAAAA BBBBB')
    await button(page, 'Sign in').click()
    await page.getByRole('alert').waitFor()
    const found = await lookAt(page, 'sign in')
    await page.route('**/api/me', (route) => route.abort())
    await page.reload()
    await page.getByText('The hub does not answer').waitFor()
    found.push(...(await lookAt(page, 'silent')))
    expect([...found, ...visit.wrongs]).toEqual([])
    await visit.close()
  })

  it('can be used with keys alone, the focus is always visible, and a sheet lists the keys', async () => {
    const visit = await stage.browsers.visitor('desktop', { reducedMotion: 'no-preference' })
    const { page } = visit
    await page.goto('/')
    await page.getByText('Water the roses').waitFor()
    const places = new Set<string>()
    for (let nth = 0; nth < 8; nth += 1) {
      await page.keyboard.press('Tab')
      const [name, outline] = await page.evaluate(() => {
        const here = document.activeElement as HTMLElement
        const { outlineStyle, outlineWidth } = getComputedStyle(here)
        const name = here.getAttribute('aria-label') ?? here.textContent ?? here.tagName
        return [name, outlineStyle === 'none' ? 0 : parseFloat(outlineWidth)] as const
      })
      places.add(name)
      expect(outline, `seen where the focus is: ${name}`).toBeGreaterThanOrEqual(2)
    }
    expect(places.size).toBe(8)
    expect([...places][0]).toBe('Skip to the page')

    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('Start a run').waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
    await page.keyboard.press('n')
    await page.waitForURL('**/new')

    const span = () =>
      button(page, 'Start').evaluate((one) => parseFloat(getComputedStyle(one).transitionDuration))
    expect(await span()).toBeGreaterThan(0.05)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await span()).toBeLessThan(0.001)
    expect(visit.wrongs).toEqual([])
    await visit.close()
  })

  it('has the theme that was chosen, also the next time', async () => {
    const visit = await stage.browsers.visitor('phone', { colorScheme: 'light' })
    const { page } = visit
    const colours = () =>
      page.evaluate(() => [
        getComputedStyle(document.body).backgroundColor,
        document.querySelector<HTMLMetaElement>('meta[name=theme-color]')!.content,
      ])
    await page.goto('/settings')
    await page.getByText('Dark', { exact: true }).click()
    await expect.poll(colours, patient).toEqual(['rgb(17, 20, 24)', '#111418'])
    await page.reload()
    await page.getByRole('radio', { name: 'Dark' }).waitFor()
    expect(await colours()).toEqual(['rgb(17, 20, 24)', '#111418'])
    await page.getByText('Automatic', { exact: true }).click()
    await expect.poll(colours, patient).toEqual(['rgb(255, 255, 255)', '#ffffff'])
    await visit.close()
  })

  it('goes on if a part of it cannot be loaded, as after an update of the hub, and says so', async () => {
    const visit = await stage.browsers.visitor('phone', { serviceWorkers: 'block' })
    const { page } = visit
    await page.route(/assets\/(settings-page|shortcut-sheet)/, (route) => route.fulfill({ status: 404 }))
    await page.goto('/settings')
    await page.getByRole('alert').getByText('could not be loaded').waitFor()
    await page.getByRole('link', { name: 'Back to the runs' }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.keyboard.press('?')
    await visit.isTold('could not be loaded')
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await visit.close()
  })

  it('can be installed, and is there without a network', async () => {
    const visit = await stage.browsers.visitor('phone')
    const { page, context } = visit
    await page.goto('/')
    await page.getByText('Water the roses').waitFor()
    const debug = await context.newCDPSession(page)
    const { installabilityErrors } = await debug.send('Page.getInstallabilityErrors')
    expect(installabilityErrors).toEqual([])
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await context.setOffline(true)
    await page.reload()
    await page.getByText('Water the roses').waitFor()
    await page.getByText(/Last updated/).waitFor()
    expect([...(await lookAt(page, 'offline')), ...visit.wrongs]).toEqual([])
    await visit.close()
  })
})
