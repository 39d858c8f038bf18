import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { post } from '@farhand/client/post/post'
import { beginRunner, createRun } from '@farhand/client/resources/resources'
import { archiveRun, renameRun } from '@farhand/client/resources/run-preferences'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

const devices = ['desktop', 'phone'] as const

describe.skipIf(!hasBrowser)('runs in a browser', () => {
  let stage: WebStage
  beforeAll(async () => {
    // Those in a sandbox of the hub's soon fall asleep.
    stage = await WebStage.set(['--idle-minutes', '0.02'])
  })
  afterAll(() => stage.close())

  const row = (page: Page, title: string) =>
    page.getByRole('listitem').filter({ has: page.getByText(title, { exact: true }) })
  const choose = async (page: Page, title: string, what: string) => {
    await page.getByRole('button', { name: `Actions for ${title}` }).click()
    await page.getByRole('menuitem', { name: what }).click()
  }
  const chooseOfRun = async (page: Page, what: string) => {
    await page.getByRole('button', { name: 'Actions for this run' }).click()
    await page.getByRole('menuitem', { name: what }).click()
  }
  const heading = (page: Page, title: string) => page.getByRole('heading', { level: 1, name: title })

  it('show their status at a glance, and an action on a phone is seen on a desktop', async () => {
    const [desk, phone] = [await stage.browsers.visitor(), await stage.browsers.visitor('phone')]
    await Promise.all([desk.page.goto('/'), phone.page.goto('/')])
    await desk.page.getByText('No runs yet').waitFor()
    const roses = await stage.run('Prune the roses')
    await stage.emptyRun('Order seeds')
    await row(desk.page, 'Order seeds').getByText('Not started').waitFor()
    const stands = async (words: string) => {
      for (const { page } of [desk, phone]) await row(page, 'Prune the roses').getByText(words).waitFor()
    }
    await stage.say(roses, 'think for 60 seconds')
    await stands('Working for')
    await post(stage.hub, roses, { jsonrpc: '2.0', method: '_posthog/cancel', params: {} })
    await stands('Stopped')
    await stage.say(roses, 'say cut')
    await stands('Done')
    await stage.say(roses, 'fail with no scissors')
    await stands('Failed')
    await stage.say(roses, 'ask permission to write a.txt with "a"')
    await stands('Needs you')
    // A run that needs the user is above newer ones.
    expect(await phone.page.locator('[data-run]').first().textContent()).toContain('Prune the roses')

    await choose(phone.page, 'Order seeds', 'Rename')
    // The keyboard is in the field, and afterwards back where it came from.
    await phone.page.keyboard.type('Order bulbs')
    await phone.page.keyboard.press('Enter')
    await row(desk.page, 'Order bulbs').waitFor()
    await phone.page.locator('[aria-label="Actions for Order bulbs"]:focus').waitFor()
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
    await desk.page.waitForURL(`**/runs/${roses.run}`)
    expect([...desk.wrongs, ...phone.wrongs]).toEqual([])
    await Promise.all([desk.close(), phone.close()])
  })

  it('are marked when there is news, until they are opened in any tab of the browser', async () => {
    const at = await stage.emptyRun('Count the bees')
    const desk = await stage.browsers.visitor()
    await desk.page.goto('/')
    await row(desk.page, 'Count the bees').waitFor()
    // What was before is no news in a browser that is new.
    expect(await desk.page.getByText('unread').count()).toBe(0)
    const messageId = await stage.say(at, 'how many?')
    const unread = row(desk.page, 'Count the bees').getByText('unread')
    await unread.waitFor()
    const tab = await desk.context.newPage()
    await tab.goto(`/runs/${at.run}/files`)
    await unread.waitFor({ state: 'detached' })
    await tab.close()
    const { token } = await beginRunner(stage.hub, at)
    const tell = (method: string, params: object) =>
      post({ ...stage.hub, token }, at, { jsonrpc: '2.0', method, params: { ...params } })
    await tell('_posthog/ack', { for: '_posthog/user_message', id: messageId })
    await tell('_posthog/turn_complete', { messageId, stopReason: 'end_turn' })
    await unread.waitFor()
    await row(desk.page, 'Count the bees').getByRole('link').click()
    await unread.waitFor({ state: 'detached' })
    expect(desk.wrongs).toEqual([])
    await desk.close()
  })

  for (const device of devices)
    it(`are all found in a long list, page by page and by a search, ${device}`, async () => {
      const oldest = await stage.emptyRun(`The oldest on a ${device}`)
      const made = Array.from({ length: 60 }, () =>
        createRun(stage.hub, oldest.project, oldest.task, { sandbox: 'none' }),
      )
      const newest = (await Promise.all(made)).at(-1)!
      const visit = await stage.browsers.visitor(device)
      const { page } = visit
      await page.goto('/')
      const listed = page.locator('[data-run]')
      await listed.first().waitFor()
      // A page of them; runs that wait for the user are there besides, no matter how old they are.
      expect(await listed.filter({ hasNotText: 'Needs you' }).count()).toBe(50)
      // A list alone on a phone is the main thing of the page.
      expect(await page.getByRole('main').count()).toBe(1)
      await listed.last().scrollIntoViewIfNeeded()
      await page.locator(`[data-run="${oldest.run}"]`).waitFor()
      await page.getByRole('searchbox', { name: 'Look for a run' }).fill(newest.id.slice(4, 14))
      await vi.waitUntil(async () => (await listed.count()) === 1, patient)
      expect(await listed.getAttribute('data-run')).toBe(newest.id)
      await page.getByRole('searchbox').fill('no such thing')
      await page.getByRole('button', { name: 'Show all runs' }).click()
      await vi.waitUntil(async () => (await listed.count()) >= 50, patient)
      expect(visit.wrongs).toEqual([])
      await visit.close()
    })

  for (const device of devices)
    it(`are known by a link, though they were put away: named, renamed and brought back, ${device}`, async () => {
      const at = await stage.emptyRun(`Put away on a ${device}`)
      await archiveRun(stage.hub, at.run, true)
      const visit = await stage.browsers.visitor(device)
      const { page } = visit
      await page.clock.install()
      await page.goto(`/runs/${at.run}`)
      await heading(page, `Put away on a ${device}`).waitFor()
      // Only then it is known where the run lives, without which it cannot be renamed.
      const line = page.getByRole('main').getByRole('status')
      await line.filter({ hasText: /^Connected$/ }).waitFor({ state: 'attached' })
      if (device === 'desktop') await page.keyboard.press('e')
      else await chooseOfRun(page, 'Rename')
      await page.keyboard.type('Named anew')
      await page.keyboard.press('Enter')
      await heading(page, 'Named anew').waitFor()
      await chooseOfRun(page, 'Unarchive')
      // Who points at what is said in passing keeps it, and what is said next does not come under the mouse.
      const told = page.getByRole('status').filter({ has: page.getByRole('button', { name: 'Undo' }) })
      const undo = (words: string) =>
        told.locator('div', { hasText: words }).getByRole('button', { name: 'Undo' })
      await undo('It is no longer archived.').hover()
      const place = await undo('It is no longer archived.').boundingBox()
      await page.clock.fastForward(60_000)
      await page.getByRole('button', { name: 'Actions for this run' }).dispatchEvent('click')
      await page.getByRole('menuitem', { name: 'Archive' }).dispatchEvent('click')
      await undo('It is archived.').waitFor()
      expect(await undo('It is no longer archived.').boundingBox()).toEqual(place)
      await undo('It is archived.').click()
      await page.mouse.move(0, 0)
      await page.clock.fastForward(60_000)
      await told.waitFor({ state: 'detached' })
      await page.goto('/')
      await row(page, 'Named anew').first().waitFor()
      expect(visit.wrongs).toEqual([])
      await visit.close()
    })

  it('are live in seven windows of one browser at once, and leave it connections for the user’s actions', async () => {
    const titles = ['Iris', 'Aster', 'Daisy', 'Lupin', 'Peony', 'Tulip', 'Violet']
    const runs = await Promise.all(titles.map((title) => stage.emptyRun(title)))
    const visit = await stage.browsers.visitor()
    const { page, context, wrongs } = visit
    await page.goto('/')
    // However many were opened one after the other, one is followed.
    for (const title of titles) {
      await row(page, title).getByRole('link').click()
      await heading(page, title).waitFor()
    }
    const isAnswered = () => page.evaluate(() => fetch('/api/openapi.json').then(({ ok }) => ok))
    expect(await isAnswered()).toBe(true)
    while (context.pages().length < titles.length) await context.newPage()
    const windows = context.pages()
    await Promise.all(windows.map((one, nth) => one.goto(`/runs/${runs[nth]!.run}`)))
    await Promise.all(windows.map((one, nth) => heading(one, titles[nth]!).waitFor()))
    for (const one of windows) await one.getByText('Connected').waitFor()
    expect(await isAnswered()).toBe(true)
    // Each hears of its run and of all others, and can say something.
    for (const [nth, at] of runs.entries()) await stage.say(at, `Water number ${nth}`)
    for (const [nth, one] of windows.entries()) await one.getByText(`Water number ${nth}`).first().waitFor()
    await renameRun(stage.hub, runs[0]!.run, 'Iris again')
    for (const one of windows) await row(one, 'Iris again').waitFor()
    for (const [nth, one] of windows.entries()) {
      await one.getByRole('textbox', { name: 'Message' }).fill(`Said in window ${nth}`)
      await one.getByRole('button', { name: 'Send' }).click()
      await stage.until(runs[nth]!, 0, (event) => JSON.stringify(event).includes(`Said in window ${nth}`))
    }
    expect(wrongs).toEqual([])
    await visit.close()
  })

  it('are rewound to before a message after a note on what that changes, and forward again', async () => {
    const at = await stage.run('Two beds')
    await stage.turn(at, 'write first.txt with "1"\nfail with no soil')
    await stage.turn(at, 'write second.txt with "2"')
    const second = join(stage.workspaceOf(at), 'second.txt')
    const phone = await stage.browsers.visitor('phone')
    const { page } = phone
    await page.goto(`/runs/${at.run}`)
    await page.getByText('write second.txt with "2"').first().waitFor()
    await chooseOfRun(page, 'Rewind')
    const dialog = page.getByRole('dialog', { name: 'Rewind this run' })
    await dialog.getByText('1 file that came later will be deleted').waitFor()
    await dialog.getByText('The agent will forget 1 message.').waitFor()
    await dialog.getByRole('button', { name: 'Rewind' }).click()
    const undo = page.getByRole('region', { name: 'Rewound items' }).getByRole('button', { name: 'Undo' })
    await vi.waitUntil(() => !existsSync(second), patient)
    expect(existsSync(join(stage.workspaceOf(at), 'first.txt'))).toBe(true)
    await page.getByText('Rewound to before “write second.txt').waitFor()
    // What is no longer said is out of the way, and can be read.
    const said = page.getByRole('log').getByText('write second.txt with "2"', { exact: true })
    expect(await said.count()).toBe(0)
    await page.getByRole('button', { name: /items were rewound/ }).dispatchEvent('click')
    await said.waitFor()
    // The run stands as it did then; page and list go by the same rule.
    await page.getByRole('status').getByText('Failed', { exact: true }).waitFor()
    await undo.click()
    await vi.waitUntil(() => existsSync(second), patient)
    // A user who has opened something further up stays there; new items are at the end.
    await vi.waitFor(async () => {
      await page.getByRole('log').evaluate((one) => one.scrollTo(0, one.scrollHeight))
      expect(await page.getByText('The rewind was undone').count()).toBe(1)
    }, patient)
    await page.getByRole('button', { name: /items were rewound/ }).waitFor({ state: 'hidden' })
    // A phone that is turned still shows one at a time.
    await page.setViewportSize({ width: 844, height: 390 })
    const list = page.getByRole('navigation', { name: 'Runs', exact: true })
    await list.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await row(page, 'Two beds').getByText('Done', { exact: true }).waitFor()
    expect(phone.wrongs).toEqual([])
    await phone.close()
  })

  it('show that a text which is too long for the log has more, and all of it on a press', async () => {
    const at = await stage.run('Long words')
    await stage.turn(at, 'say 300 KB')
    const desk = await stage.browsers.visitor('desktop', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = desk
    await page.goto(`/runs/${at.run}`)
    const words = page.locator('[data-kind="words"]')
    await words.getByText('This is only the beginning.').waitFor()
    await words.hover()
    // It is shown for a moment only, so the page itself looks for it.
    const copied = page.waitForFunction(() =>
      document.querySelector('[data-kind="words"] [aria-label="Copied"]'),
    )
    await words.getByRole('button', { name: 'Copy this text' }).click()
    await copied
    expect(await page.evaluate(async () => (await navigator.clipboard.readText()).length)).toBeGreaterThan(
      300 * 1024,
    )
    await words.getByRole('button', { name: 'Show all 308 KB' }).click()
    await words.getByText('This is only the beginning.').waitFor({ state: 'hidden' })
    await expect.poll(async () => (await words.textContent())?.length, patient).toBeGreaterThan(290_000)
    expect(desk.wrongs).toEqual([])
    await desk.close()
  })

  const begin = async (page: Page, said: string) => {
    await page.goto('/new')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('Say what is to be done.').waitFor()
    // The others are known, and so is the way to them.
    await page.getByText(/not set up where the hub is. There, npx farhand agents/).waitFor()
    const prompt = page.getByRole('textbox', { name: 'What is to be done' })
    await prompt.fill(said)
    await page.getByLabel('Agent').selectOption('rehearsal')
    await page.getByText('Allow file edits').click()
    // A draft outlives the page.
    await page.reload()
    expect(await prompt.inputValue()).toBe(said)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL('**/runs/run_*')
    const began = page.url()
    await page.getByText(said, { exact: true }).last().waitFor()
    await page.goto('/new')
    await page.getByRole('radio', { name: 'Allow file edits' }).waitFor()
    expect(await page.getByRole('radio', { name: 'Allow file edits' }).isChecked()).toBe(true)
    expect(await page.getByLabel('Agent').inputValue()).toBe('rehearsal')
    expect(await prompt.inputValue()).toBe('')
    await page.goto('/')
    return began
  }
  const sleeper = 'write hello.txt with "hello"'

  it('are begun once from a form, which proposes the next time what was chosen; sleep; are forked from a checkpoint', async () => {
    const phone = await stage.browsers.visitor('phone')
    const { page } = phone
    const began = await begin(page, sleeper)
    // A sandbox is made, and let go again, in the meantime.
    await row(page, sleeper).first().getByText('Done · asleep', { exact: true }).first().waitFor()
    await page.goto(began)
    // What came of it stays in sight on its own page as well.
    await page.getByRole('status').getByText('Done · asleep', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Fork from here' }).first().click()
    await page.getByLabel('Title of the new run').fill('Along another way')
    await page.getByRole('button', { name: 'Fork', exact: true }).click()
    await heading(page, 'Along another way').waitFor()
    expect(page.url()).not.toBe(began)
    await page.getByRole('link', { name: `“${sleeper}”` }).click()
    await page.waitForURL(`${began}#e*`)
    expect(phone.wrongs).toEqual([])
    await phone.close()
  })

  it('are begun at a desk as on a phone, beside those that sleep', async () => {
    const desk = await stage.browsers.visitor()
    await begin(desk.page, 'say hello')
    await row(desk.page, sleeper).first().getByText('Done · asleep', { exact: true }).first().waitFor()
    expect(desk.wrongs).toEqual([])
    await desk.close()
  })
})
