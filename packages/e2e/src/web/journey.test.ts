import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { LinkProcess } from '@farhand/testkit/link-process'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { type Device, hasBrowser } from './browsers.ts'
import { CuttableProxy } from './cuttable-proxy.ts'
import { patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

const event = (method: string, params: Record<string, unknown>) =>
  ({ jsonrpc: '2.0', method, params }) as const
const isOver = ({ notification }: SeenEvent) => notification.method === '_posthog/turn_complete'

const isChangeOf =
  (path: string) =>
  ({ notification: { method, params } }: SeenEvent) =>
    method === '_posthog/file_change' && JSON.stringify(params).includes(path)
const before = { 'shared.txt': 'base', 'old.txt': 'second' }

/** What lies in a folder, but for what is ours. */
const filesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

describe.skipIf(!hasBrowser)('a run in a browser', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  /** How often the log has what people do. */
  const countOf = async (at: RunAddress) => {
    const methods: string[] = []
    for await (const { notification, by } of readLog(stage.hub, at))
      if (by.kind === 'web') methods.push(notification.method)
    const count = (method: string) => methods.filter((one) => one === method).length
    return {
      said: count('_posthog/user_message'),
      answered: count('_posthog/user_response'),
      putBack: count('_posthog/file_sync'),
    }
  }

  it('goes from a prompt to a diff, on a phone', async () => {
    const at = await stage.run('From prompt to diff')
    const { page, wrongs, close } = await opened(at, 'phone')
    await write(page, 'plan: look; write\nwrite notes.md with "# Roses\\nred"\nsay **All** `done`')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('strong').getByText('All').waitFor()
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByText('notes.md').first().click()
    await page.getByText('# Roses').first().waitFor()
    expect(wrongs).toEqual([])
    await close()
  })

  it('asks for permission in two browsers: one answers, the other says who did', async () => {
    const at = await stage.run('Permission')
    const [desk, phone] = await Promise.all([opened(at, 'desktop'), opened(at, 'phone')])
    await stage.say(at, 'ask permission to write asked.txt with "yes"')
    const answer = ({ page }: typeof desk) => page.getByRole('group', { name: 'Your answer' })
    await Promise.all([answer(desk).waitFor(), answer(phone).waitFor()])
    await desk.page.reload()
    await answer(desk).waitFor()
    await answer(phone).getByRole('button').first().click()
    await answer(desk).waitFor({ state: 'detached' })
    await desk.page.getByText('Answered: Allow, by Chrome on Linux.', { exact: true }).waitFor()
    await vi.waitFor(
      () => expect(readFileSync(join(stage.workspaceOf(at), 'asked.txt'), 'utf8')).toBe('yes'),
      patient,
    )
    expect([...desk.wrongs, ...phone.wrongs]).toEqual([])
    await Promise.all([desk.close(), phone.close()])
  })

  it('is reloaded, and loses its hub, in the middle of a turn: every word is there once', async () => {
    const at = await stage.run('Reload')
    const { page, wrongs, close } = await opened(at, 'desktop')
    const said = await stage.say(at, 'say 60 chunks of 20 bytes at 15 a second\nsay The end')
    await page.getByText('chunk 3 of 60').waitFor()
    await page.reload()
    await page.getByText('chunk 12 of 60').waitFor()
    await stage.process.restart()
    await stage.until(at, said, isOver)
    await page.getByText('The end', { exact: true }).waitFor()
    const text = (await page.getByRole('main').textContent()) ?? ''
    const numbers = [...text.matchAll(/chunk (\d+) of/g)].map(([, number]) => Number(number))
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, nth) => nth + 1))
    expect(wrongs).toEqual([])
    await close()
  })

  it('was cut off while both sides went on: all is there once, and all sides have the same bytes', async () => {
    const at = await stage.run('Train')
    const way = await CuttableProxy.to(stage.process.port)
    const [folder, state] = [join(stage.home, 'laptop'), join(stage.home, 'laptop-state')]
    mkdirSync(folder)
    const hub = { url: way.url, token: stage.process.token }
    const laptop = new LinkProcess({ folder, state, run: at.run, hub, wins: 'disk' })
    onTestFinished(() => void laptop.kill())
    await laptop.spawn()
    const { page, wrongs, isTold, close } = await opened(at, 'desktop', { baseURL: way.url })
    await stage.turn(at, 'write shared.txt with "base"\nwrite old.txt with "first"')
    await stage.turn(at, 'write old.txt with "second"')
    const red = page.getByRole('group', { name: 'Your answer' }).getByRole('button', { name: 'red' })
    const asked = await stage.say(at, 'ask "Which color?" with options red, green')
    await red.waitFor()
    await vi.waitFor(() => expect(filesIn(folder)).toEqual(before), patient)

    way.cut()
    await page
      .getByText(/^Reconnecting/)
      .first()
      .waitFor()
    // Here the user answers, writes on, and puts a file back; in the folder work goes on, too.
    await red.click()
    await write(page, 'say from the train')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByRole('button', { name: /^old\.txt/ }).click()
    await page.getByRole('button', { name: '2 versions' }).click()
    await page.getByRole('button', { name: 'Restore' }).click()
    await isTold('this will be done when the hub can be reached')
    writeFileSync(join(folder, 'shared.txt'), 'of the laptop')
    writeFileSync(join(folder, 'near.txt'), 'near')
    // There the sandbox goes on.
    const command = 'printf "of the sandbox" > shared.txt; printf far > far.txt'
    await post(stage.hub, at, event('_posthog/shell', { command, id: 'sh1', timeoutSeconds: 20 }))
    for (const path of ['shared.txt', 'far.txt']) await stage.until(at, asked, isChangeOf(path))
    await new Promise((resolve) => setTimeout(resolve, inject('long') ? 120_000 : 0))
    // A page that is reloaded without a hub comes from the service worker, and what was typed from the browser.
    await page.goto(`/runs/${at.run}`)
    await page.getByText('say from the train').first().waitFor()
    expect(await countOf(at)).toMatchObject({ said: 3, answered: 0, putBack: 0 })

    way.mend()
    await page.getByText('from the train', { exact: true }).waitFor()
    const after = {
      ...before,
      'shared.txt': 'of the laptop',
      'old.txt': 'first',
      'near.txt': 'near',
      'far.txt': 'far',
    }
    await vi.waitFor(() => {
      expect(filesIn(folder)).toEqual(after)
      expect(filesIn(stage.workspaceOf(at))).toEqual(after)
    }, patient)
    expect(await countOf(at)).toEqual({ said: 4, answered: 1, putBack: 1 })
    const conflicts = () => laptop.said.filter((line) => line.event === 'conflict')
    await expect.poll(conflicts, patient).toMatchObject([{ path: 'shared.txt', here: 'won' }])
    // Both are to be found: what counts, and what gave way to it.
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByRole('button', { name: /^shared\.txt/ }).click()
    await page.getByText('of the laptop').first().waitFor()
    await page.getByRole('button', { name: '3 versions' }).click()
    await page
      .getByRole('button', { name: /Written by the agent/ })
      .first()
      .click()
    await page.getByText('of the sandbox').first().waitFor()
    expect(wrongs).toEqual([])
    await close()
    await laptop.kill('SIGTERM')
    await way.close()
  }, 240_000)

  it('shows its connection: connected, offline, reconnecting, catching up with a number of events', async () => {
    const at = await stage.emptyRun('Honest')
    const way = await CuttableProxy.to(stage.process.port)
    const { page, wrongs, close } = await opened(at, 'desktop', { baseURL: way.url })
    const line = page.getByRole('main').getByRole('status')
    const says = (words: RegExp) => line.filter({ hasText: words }).waitFor()
    await says(/^Connected$/)
    // A browser says itself that it could not fetch a service worker.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => null))
    // A browser tells the page before it blocks its requests: a request in between would get through.
    way.cut()
    await page.context().setOffline(true)
    await says(/^Offline$/)
    way.mend()
    await page.context().setOffline(false)
    await says(/^Connected$/)
    way.cut()
    await says(/^Reconnecting/)
    const noise = Array.from({ length: 300 }, () => event('_example/noise', { words: 'x'.repeat(300) }))
    await post(stage.hub, at, noise)
    await stage.say(at, 'the newest')
    way.mend(20_000)
    await says(/^Catching up \d\d+ events$/)
    way.mend()
    await says(/^Connected$/)
    await page.getByText('the newest').first().waitFor()
    expect(wrongs).toEqual([])
    await close()
    await way.close()
  })

  it('comes back after an hour in a pocket without a reload and without an error', async () => {
    const at = await stage.emptyRun('Pocket')
    const way = await CuttableProxy.to(stage.process.port)
    const { page, wrongs, close } = await opened(at, 'phone', { baseURL: way.url, clock: true })
    const line = page.getByRole('main').getByRole('status')
    await line.filter({ hasText: /^Connected$/ }).waitFor({ state: 'attached' })
    await page.evaluate(() => {
      const said: string[] = Object.assign(window, { said: [] }).said
      const look = () => said.push(document.body.textContent)
      new MutationObserver(look).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      })
    })
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Page.setWebLifecycleState', { state: 'frozen' })
    way.deafen()
    await stage.say(at, 'while you slept')
    await page.clock.fastForward('01:00:00')
    await cdp.send('Page.setWebLifecycleState', { state: 'active' })
    await page.getByText('while you slept').first().waitFor()
    await line.filter({ hasText: /^Connected$/ }).waitFor({ state: 'attached' })
    // Of a page that was loaded anew nothing of this would be left.
    const said = await page.evaluate(() => (window as unknown as { said: string[] }).said)
    expect(said.join('\n')).toContain('while you slept')
    expect(said.join('\n')).not.toMatch(/offline|lost|reconnecting|failed|error/i)
    expect(wrongs).toEqual([])
    await close()
    await way.close()
  })

  async function opened(at: RunAddress, device: Device, more: { baseURL?: string; clock?: true } = {}) {
    const { clock, ...where } = more
    const visit = await stage.browsers.visitor(device, where)
    if (clock) await visit.page.clock.install()
    await visit.page.goto(`/runs/${at.run}`)
    await visit.page.getByRole('button', { name: 'Send' }).waitFor()
    const { page, wrongs } = visit
    return { page, wrongs, isTold: (words: string) => visit.isTold(words), close: () => visit.close() }
  }

  const write = (page: Page, text: string) => page.getByRole('textbox').last().fill(text)
})
