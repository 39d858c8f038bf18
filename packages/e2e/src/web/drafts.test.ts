import { readLog } from '@farhand/client/follow/read-log'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isDrawn, picture } from './a-picture.ts'
import { hasBrowser } from './browsers.ts'
import { CuttableProxy } from './cuttable-proxy.ts'
import { patient, type Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

const isTurnEnd = ({ notification }: SeenEvent) => notification.method === '_posthog/turn_complete'

/** Whether the browser itself has these words to send: a page may be closed then. */
const isKept = (tab: Page, text: string) =>
  tab.evaluate(async (text) => {
    const named = (await indexedDB.databases()).find(({ name }) => name?.startsWith('farhand '))
    const done = <Result>(asked: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result)
        asked.onerror = () => reject(asked.error)
      })
    const db = await done(indexedDB.open(named!.name!))
    const all = await done(db.transaction('deeds').objectStore('deeds').getAll())
    db.close()
    return JSON.stringify(all).includes(text)
  }, text)

describe.skipIf(!hasBrowser)('a message that its user has not seen sent', () => {
  let stage: WebStage
  let at: RunAddress
  let visit: Visit
  let page: Page
  beforeAll(async () => {
    stage = await WebStage.set()
    at = await stage.run('Drafts')
    await stage.turn(at, 'say Hello')
    visit = await stage.browsers.visitor()
    page = visit.page
    await page.goto(`/runs/${at.run}`)
    await page.getByText('Hello', { exact: true }).waitFor()
  })
  afterAll(() => stage.close())

  const field = () => page.getByRole('textbox', { name: 'Message' })
  const chips = () => page.getByRole('list', { name: 'Attachments' })
  const said = async (method: string) => {
    const all: Record<string, unknown>[] = []
    for await (const { notification } of readLog(stage.hub, at))
      if (notification.method === method) all.push(notification.params ?? {})
    return all
  }
  const last = async () => {
    let id = 0
    for await (const event of readLog(stage.hub, at)) id = event.id
    return id
  }

  it('is not offered again, with its files, after the browser went back to before it was sent', async () => {
    await field().fill('say tulips')
    await page.locator('input[type=file]').setInputFiles([picture])
    await isDrawn(chips().getByRole('img', { name: 'See dot.png' }))
    const isKept = () =>
      page.evaluate(() => Object.values(localStorage).some((kept) => kept.includes('dot.png')))
    await expect.poll(isKept, patient).toBe(true)
    await page.goto('/settings')
    await page.goto(`/runs/${at.run}`)
    await isDrawn(chips().getByRole('img', { name: 'See dot.png' }))
    const before = await last()
    await field().press('Enter')
    await stage.until(at, before, isTurnEnd)
    await page.goBack()
    await page.goBack()
    await page.getByText('tulips', { exact: true }).first().waitFor()
    expect([await field().inputValue(), await chips().count()]).toEqual(['', 0])

    // A browser that shows the page again as it left it: what stands there was sent by another one meanwhile.
    await field().fill('say tulips')
    await page.locator('input[type=file]').setInputFiles([picture])
    await expect.poll(isKept, patient).toBe(true)
    await page.evaluate(() => {
      for (const name of Object.keys(localStorage))
        if (name.startsWith('farhand.draft.')) localStorage.removeItem(name)
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    })
    await expect.poll(() => field().inputValue(), patient).toBe('')
    await expect.poll(() => chips().count(), patient).toBe(0)
  })

  it('is sent once though two tabs were cut off, also one of a tab that is closed since', async () => {
    const way = await CuttableProxy.to(stage.process.port)
    const { context, page: one, wrongs } = await stage.browsers.visitor('desktop', { baseURL: way.url })
    const other = await context.newPage()
    const write = (tab: Page) => tab.getByRole('textbox', { name: 'Message' })
    for (const tab of [one, other]) {
      await tab.goto(`/runs/${at.run}`)
      await tab.getByRole('button', { name: 'Run settings' }).waitFor()
    }
    for (const text of ['say both are open', 'say one is closed']) {
      way.cut()
      await write(one).fill(text)
      await write(one).press('Enter')
      const waiting = one.getByRole('region', { name: 'Waiting messages' }).getByRole('listitem')
      await waiting.filter({ hasText: text }).getByText('Saved here until the hub can be reached').waitFor()
      await expect.poll(() => isKept(one, text), patient).toBe(true)
      if (text === 'say one is closed') await one.close()
      way.mend()
      // What browsers say when the network is back; without it they try again after a while.
      for (const tab of context.pages()) await tab.evaluate(() => dispatchEvent(new Event('online')))
      await other.getByText(text.slice(4), { exact: true }).waitFor()
    }
    const sent = (await said('_posthog/user_message')).map(({ content }) => content)
    expect(sent.slice(-2)).toEqual(['say both are open', 'say one is closed'])
    expect(new Set(sent.slice(-3)).size).toBe(3)
    expect(wrongs).toEqual([])
    await context.close()
    await way.close()
  })
})
