import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { post } from '@farhand/client/post/post'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import { renameRun } from '@farhand/client/resources/run-preferences'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { blobOf, hostileEvents, Marks, say } from './hostile-log.ts'
import { seriousViolations } from './serious-violations.ts'
import { isStill, patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

const hostile = fileURLToPath(new URL('hostile-agent.mjs', import.meta.url))
const bad = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>'

describe.skipIf(!hasBrowser)('an agent that means harm', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  it('runs nothing in the page and makes it request nothing elsewhere, in every text that the page shows', async () => {
    const at = await stage.emptyRun(bad)
    const state = stage.stateOf(at)
    mkdirSync(state)
    const entry = { id: 'rehearsal', name: bad, command: process.execPath, args: [hostile] }
    writeFileSync(join(state, 'agents.json'), JSON.stringify([entry]))
    await stage.host(at)
    await renameRun(stage.hub, at.run, bad)
    const said = await stage.say(at, bad)
    const asks = await stage.until(at, said, ({ notification }) =>
      /permission|question/.test(notification.method),
    )

    const { page, wrongs } = await stage.browsers.visitor()
    await page.goto(`/runs/${at.run}`)
    await page.getByRole('group', { name: 'Your answer' }).first().waitFor()
    await unfold(page)
    expect(await page.locator(running).count()).toBe(0)
    expect(await seriousViolations(page)).toEqual([])

    const answer = page.getByRole('group', { name: 'Your answer' }).getByRole('button').first()
    await answer.scrollIntoViewIfNeeded()
    await isStill(answer)
    await answer.click()
    await stage.until(at, asks.id, ({ notification }) => notification.method === '_posthog/turn_complete')
    for (const name of ['<img src=x onerror=window.__xss=1>.md', 'page.html', 'picture.svg']) {
      await page.goto(`/runs/${at.run}/files#file=${encodeURIComponent(name)}`)
      await page.getByText(name).filter({ visible: true }).first().waitFor()
    }
    await page.goto('/')
    await page.getByText(bad).first().waitFor()
    expect(await page.evaluate(() => '__xss' in globalThis)).toBe(false)
    expect(wrongs).toEqual([])
  })

  it('has its text shown in every field that it, its files and other devices can fill, as text only, with no letters turned around', async () => {
    const { hub, browsers } = stage
    const marks = new Marks()
    const project = await createProject(hub, { name: marks.put('the name of a project') })
    const task = await createTask(hub, project.id, { title: marks.put('the title of a task') })
    const at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
    const attached = await blobOf('<script>window.__xss=1</script>')
    const attachment = { hash: attached.hash, name: marks.put('an attachment', 255), mimeType: 'text/html' }
    const said = { content: marks.put('a message'), attachments: [attachment] }
    const { lastEventId } = await post(hub, at, say('_posthog/user_message', said), { blobs: [attached] })
    const device = { ...hub, deviceId: 'dev_00000000' }
    await post(device, at, say('_posthog/device_start', { name: marks.put('the name of a device', 200) }))
    await post(hub, at, say('_posthog/shell', { id: 'sh', command: marks.put('a command of a person') }))
    const own = marks.all()
    const { token } = await beginRunner(hub, at)
    const { events, blobs } = await hostileEvents(marks, lastEventId)
    await post({ url: hub.url, token }, at, events, { blobs })

    // All of a run at once: what is out of sight is not on a page.
    const { page, wrongs } = await browsers.visitor('desktop', { viewport: { width: 1280, height: 6000 } })
    await page.goto(`/runs/${at.run}`)
    await page.getByRole('group', { name: 'Your answer' }).nth(1).waitFor()
    await unfold(page)
    await page.locator('button[aria-expanded="true"]', { hasText: 'Thought' }).waitFor()
    const message = page.getByRole('textbox', { name: /message/i })
    await message.fill('/')
    await page.locator('[role="option"]').first().waitFor()
    let seen = await allText(page)
    let undirected = await withoutDirection(page)
    await message.fill('')
    await page.getByRole('button', { name: 'Run settings' }).click()
    await page.getByRole('dialog').waitFor()
    seen += await allText(page)
    undirected += await withoutDirection(page)
    expect(await page.locator(running).count()).toBe(0)
    await page.keyboard.press('Escape')
    // What is to be decided stays within reach, however long a word is.
    await page.setViewportSize({ width: 390, height: 6000 })
    await expect.poll(() => tooWide(page), patient).toEqual([])

    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`/runs/${at.run}/files`)
    const unseen = async () => marks.unseenIn(seen + (await allText(page)))
    await expect.poll(unseen, patient).toEqual([])
    seen += await allText(page)
    undirected += await withoutDirection(page)
    // Words in a script from right to left are read that way in every place.
    expect(marks.seenIn(undirected)).toEqual([])
    expect(await page.locator(running).count()).toBe(0)
    // People's own words may be in any script, and are shown as they wrote them.
    expect(marks.turnedIn(seen).filter((field) => !own.includes(field))).toEqual([])
    expect(await page.evaluate(() => '__xss' in globalThis)).toBe(false)
    expect(wrongs).toEqual([])

    // Nor would a mistake of the page itself make a script of a text.
    const mistake = () => page.evaluate(() => (document.createElement('p').innerHTML = '<b>'))
    await expect(mistake()).rejects.toThrow(/TrustedHTML/)
    const hasWorker = () => page.evaluate(async () => !!(await navigator.serviceWorker.getRegistration()))
    await expect.poll(hasWorker, patient).toBe(true)
  })
})

/** What a page would run, load from elsewhere, or lead to that is no page. */
const running = [
  'iframe, object, embed, script:not([src]), img[src^="http"], [onerror], [onload]',
  ...['java', 'vb', 'data', 'file', 'blob'].map((scheme) => `a[href^="${scheme}"]`),
].join(', ')

/** What to answer with that is not on the screen as a whole. */
const tooWide = (page: Page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll('[role="group"] :is(button, select, textarea, input)')]
    const isOut = (one: Element) => one.getBoundingClientRect().right > document.documentElement.clientWidth
    return all.filter(isOut).map((one) => `${one.tagName} ${one.textContent}`)
  })

/** Opens all that is folded. */
const unfold = (page: Page) =>
  page.evaluate(() => {
    const folded = 'button[aria-expanded="false"]:not([aria-haspopup])'
    for (const one of document.querySelectorAll<HTMLButtonElement>(folded)) one.click()
  })

/** What a page shows whose direction is that of the page, and not its own, each piece on a line. Choices of a list have none. */
const withoutDirection = (page: Page) =>
  page.evaluate(() => {
    const pieces: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { nodeValue, parentElement } = texts.currentNode
      if (parentElement?.closest('bdi, [dir="auto"], .heard, option')) continue
      pieces.push(`${nodeValue}\n`)
    }
    return pieces.join('')
  })

/** Everything that a page shows, or says to a screen reader, each piece on a line. */
const allText = (page: Page) =>
  page.evaluate(() => {
    const said = ['title', 'aria-label', 'placeholder', 'alt']
    const pieces = [...document.querySelectorAll<HTMLInputElement>('*')].flatMap((one) => [
      ...[...one.childNodes].map((child) => (child.nodeType === Node.TEXT_NODE ? child.nodeValue : '')),
      ...said.map((name) => one.getAttribute(name)),
      one.value,
    ])
    return [document.title, ...pieces].map((piece) => `${piece ?? ''}\n`).join('')
  })
