import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { WebStage } from './web-stage.ts'

describe.skipIf(!hasBrowser)('runs in a browser', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  const row = (page: Page, title: string) =>
    page.getByRole('listitem').filter({ has: page.getByText(title, { exact: true }) })
  const choose = async (page: Page, title: string, what: string) => {
    await page.getByRole('button', { name: `What to do with ${title}` }).click()
    await page.getByRole('menuitem', { name: what }).click()
  }

  it('say at a glance how they stand, and what is done with one on a phone is seen at the desk', async () => {
    const [desk, phone] = [await stage.browsers.visitor(), await stage.browsers.visitor('phone')]
    await Promise.all([desk.page.goto('/'), phone.page.goto('/')])
    await desk.page.getByText('No run here').waitFor()
    const asking = await stage.run('Prune the roses')
    await stage.emptyRun('Order seeds')
    await stage.say(asking, 'ask permission to write a.txt with "a"')
    await row(desk.page, 'Prune the roses').getByText('Needs you').waitFor()
    await row(desk.page, 'Order seeds').getByText('Not begun').waitFor()
    await row(phone.page, 'Prune the roses').getByText('Needs you').waitFor()
    // What needs somebody is above what is newer.
    expect(await phone.page.locator('[data-run]').first().textContent()).toContain('Prune the roses')

    await choose(phone.page, 'Order seeds', 'Rename')
    await phone.page.getByLabel('What this run is called').fill('Order bulbs')
    await phone.page.keyboard.press('Enter')
    await row(desk.page, 'Order bulbs').waitFor()
    await choose(phone.page, 'Order bulbs', 'Archive')
    await row(desk.page, 'Order bulbs').waitFor({ state: 'detached' })
    await phone.page.getByRole('button', { name: 'Undo' }).click()
    await row(desk.page, 'Order bulbs').waitFor()

    await desk.page.keyboard.press('/')
    await desk.page.keyboard.type('bulb')
    await row(desk.page, 'Prune the roses').waitFor({ state: 'detached' })
    await desk.page.keyboard.press('Escape')
    await row(desk.page, 'Prune the roses').waitFor()
    await desk.page.keyboard.press('Escape')
    await desk.page.keyboard.press('j')
    await desk.page.keyboard.press('Enter')
    await desk.page.waitForURL(`**/runs/${asking.run}`)
    expect([...desk.wrongs, ...phone.wrongs]).toEqual([])
    await Promise.all([desk.close(), phone.close()])
  })

  it('are begun once from a form, which says what is missing and proposes the next time what was chosen', async () => {
    const phone = await stage.browsers.visitor('phone')
    const { page } = phone
    await page.goto('/new')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('Say what is to be done.').waitFor()
    const prompt = page.getByRole('textbox', { name: 'What is to be done' })
    await prompt.fill('say hello')
    await page.getByLabel('Agent').selectOption('rehearsal')
    await page.getByText('Let it edit files').click()
    // A draft outlives the page.
    await page.reload()
    expect(await prompt.inputValue()).toBe('say hello')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL('**/runs/run_*')
    await page.getByText('say hello', { exact: true }).last().waitFor()
    await page.goto('/new')
    await page.getByRole('radio', { name: 'Let it edit files' }).waitFor()
    expect(await page.getByRole('radio', { name: 'Let it edit files' }).isChecked()).toBe(true)
    expect(await page.getByLabel('Agent').inputValue()).toBe('rehearsal')
    expect(await prompt.inputValue()).toBe('')
    expect(phone.wrongs).toEqual([])
    await phone.close()
  })
})
