import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import { beginRunner } from '@farhand/client/resources/resources'
import { renameRun } from '@farhand/client/resources/run-preferences'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { patient, type Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

const notification = (method: string, params: Record<string, unknown> = {}) =>
  ({ jsonrpc: '2.0', method, params }) as const
const isOver = (event: SeenEvent) => event.notification.method === '_posthog/turn_complete'

describe.skipIf(!hasBrowser)('the page of a run', () => {
  let stage: WebStage
  let visit: Visit
  let page: Page
  beforeAll(async () => {
    stage = await WebStage.set()
    visit = await stage.browsers.visitor()
    page = visit.page
  })
  afterAll(() => stage.close())

  const open = async (at: RunAddress) => {
    await page.goto(`/runs/${at.run}`)
    await page.getByText('Connected').waitFor()
  }
  const methodsIn = async (at: RunAddress) => {
    const methods: string[] = []
    for await (const event of readLog(stage.hub, at)) methods.push(event.notification.method)
    return methods
  }
  const answers = () => page.getByRole('group', { name: 'Your answer' })
  /** A run of which the test itself is the runner. */
  const told = async (title: string) => {
    const at = await stage.emptyRun(title)
    const { token } = await beginRunner(stage.hub, at)
    return {
      at,
      say: (method: string, params = {}) => post({ ...stage.hub, token }, at, notification(method, params)),
    }
  }

  it('says why a turn failed, and lets the same message be sent again, or changed first', async () => {
    const at = await stage.run('Failing')
    await stage.turn(at, 'fail with the bed is frozen')
    await open(at)
    await page.getByText('the bed is frozen', { exact: true }).waitFor()
    // It was made to work there, and never moved.
    await page.getByText(/on your computer/).waitFor()
    const before = (await methodsIn(at)).length
    await page.getByRole('button', { name: 'Retry' }).click()
    await stage.until(at, before, isOver)
    const said = page.getByText('fail with the bed is frozen', { exact: true })
    await expect.poll(() => said.count(), patient).toBe(2)
    // Only what failed last can be tried again.
    await expect.poll(() => page.getByRole('button', { name: 'Retry' }).count(), patient).toBe(1)
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    const field = page.getByRole('textbox', { name: 'Message' })
    await expect.poll(() => field.inputValue(), patient).toBe('fail with the bed is frozen')
    await field.fill('say thawed')
    await page.keyboard.press('Enter')
    await page.getByText('thawed', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Retry' }).count(), patient).toBe(0)
  })

  it('does not take the second half of a double click for a permission, and takes a number key with the empty field focused', async () => {
    const at = await stage.run('Permission')
    await open(at)
    // The element that is in the button's place at that moment is pressed.
    await page.evaluate(() => {
      const seen = new MutationObserver(() => {
        const button = document.querySelector<HTMLElement>('[aria-label="Your answer"] button')
        if (!button) return
        seen.disconnect()
        button.click()
        button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }))
      })
      seen.observe(document, { subtree: true, childList: true })
    })
    const asked = await stage.say(at, 'ask permission to write a.txt with "a"')
    const allow = answers().getByRole('button', { name: 'Allow' }).first()
    await allow.waitFor()
    await expect.poll(() => allow.isEnabled(), patient).toBe(true)
    expect(await methodsIn(at)).not.toContain('_posthog/user_response')
    await page.getByRole('textbox', { name: 'Message' }).focus()
    await page.keyboard.press('1')
    await stage.until(at, asked, isOver)
    expect(existsSync(join(stage.workspaceOf(at), 'a.txt'))).toBe(true)
    // With words in the field a number is a number.
    const field = page.getByRole('textbox', { name: 'Message' })
    const again = await stage.say(at, 'ask permission to write b.txt with "b"')
    await expect.poll(() => allow.isEnabled(), patient).toBe(true)
    await field.fill('take ')
    await field.press('1')
    expect(await field.inputValue()).toBe('take 1')
    await field.fill('')
    await answers()
      .getByRole('button', { name: /Reject|Deny|Refuse/ })
      .first()
      .click()
    await stage.until(at, again, isOver)
    // What a person did not allow has not failed.
    const card = page.getByRole('article', { name: /b\.txt/ })
    await card.getByText('rejected', { exact: true }).waitFor()
    expect(await card.getByText('failed').count()).toBe(0)
    // The place of the workspace is not shown, not in an opened card either.
    const first = page.getByRole('article', { name: /a\.txt/ })
    for (const one of [first, card]) {
      const head = one.locator('[aria-expanded]').first()
      if ((await head.getAttribute('aria-expanded')) === 'false') await head.click()
      await one.locator('[aria-expanded="true"]').first().waitFor()
      expect(await one.textContent()).not.toContain(stage.home)
    }
  })

  it('can be answered while the list scrolls, as it does by itself when the agent goes on writing', async () => {
    const at = await stage.run('Scrolling')
    await stage.turn(at, Array.from({ length: 60 }, (_, n) => `say line ${n}`).join('\n'))
    await open(at)
    const asked = await stage.say(at, 'ask permission to write a.txt with "a"')
    const allow = answers().getByRole('button', { name: 'Allow' }).first()
    await expect.poll(() => allow.isEnabled(), patient).toBe(true)
    const hit = await allow.evaluate(async (button) => {
      const list = button.closest('[role="log"]')!
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const found: boolean[] = []
      for (let turn = 0; turn < 10; turn++) {
        list.scrollTop += turn % 2 === 0 ? -3 : 3
        await frame()
        const { x, y, width, height } = button.getBoundingClientRect()
        found.push(button.contains(document.elementFromPoint(x + width / 2, y + height / 2)))
      }
      return { found, hasScrolled: list.scrollHeight > list.clientHeight }
    })
    expect(hit).toEqual({ found: Array(10).fill(true), hasScrolled: true })
    await allow.click()
    await stage.until(at, asked, isOver)
  })

  /** Where something is on the page, once nothing moves it any more: rows are measured one after the other. */
  const restingAt = async (one: Locator): Promise<number> => {
    const twoFrames = () =>
      page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    for (let was = Number.NaN, rests = 0; ; ) {
      const { y = Number.NaN } = (await one.boundingBox()) ?? {}
      rests = y === was ? rests + 1 : 0
      if (rests === 10) return y
      was = y
      await twoFrames()
    }
  }

  it('does not call a run done when a message was sent since', async () => {
    const { at, say } = await told('Stale')
    const first = await stage.say(at, 'dig')
    await say('_posthog/ack', { for: 'user_message', id: first })
    await say('_posthog/turn_complete', { messageId: first, stopReason: 'end_turn' })
    await open(at)
    const standing = (words: string | RegExp) => page.getByRole('status').getByText(words, { exact: true })
    const listed = (words: string | RegExp) =>
      page.locator(`[data-run="${at.run}"]`).getByText(words, { exact: true }).first()
    await Promise.all([standing('Done').waitFor(), listed('Done').waitFor()])
    const second = await stage.say(at, 'and sow')
    await Promise.all([
      standing('Waiting for the agent').waitFor(),
      listed('Waiting for the agent').waitFor(),
    ])
    expect([await standing('Done').count(), await listed('Done').count()]).toEqual([0, 0])
    expect(await page.title()).toBe('Waiting for the agent · Stale')
    await say('_posthog/ack', { for: 'user_message', id: second })
    // The hub does not count a runner that only posts as connected.
    const underWay = /^(Working|Waiting for its runner)/
    await Promise.all([standing(underWay).first().waitFor(), listed(underWay).waitFor()])
    expect([await standing('Done').count(), await listed('Done').count()]).toEqual([0, 0])
  })

  it('leaves a row where it is when that is opened', async () => {
    const at = await stage.run('Rows')
    await stage.turn(at, 'repeat 12 times: run `seq 40`\nsay The end')
    await open(at)
    await page.getByText('The end', { exact: true }).waitFor()
    const tools = page.locator('[data-kind="tool"]')
    const event = await tools.nth((await tools.count()) - 2).getAttribute('data-event')
    const card = page.locator(`[data-event="${event}"]`)
    const before = await restingAt(card)
    await card.getByRole('button', { expanded: false }).click()
    await card.getByRole('button', { expanded: true }).waitFor()
    await card.getByText(/39\n40/).waitFor()
    expect(Math.abs((await restingAt(card)) - before)).toBeLessThan(3)
  })

  it('folds the rewound part into one block, with an Undo that is still there after a reload', async () => {
    const at = await stage.run('Back')
    await stage.turn(at, 'write first.txt with "1"')
    await stage.turn(at, 'write second.txt with "2"\nsay planted')
    await open(at)
    await page.getByRole('button', { name: 'Actions for this run' }).click()
    await page.getByRole('menuitem', { name: 'Rewind' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rewind this run' })
    await dialog.getByRole('button', { name: 'Rewind' }).click()
    const block = page.getByRole('region', { name: 'Rewound items' })
    await block.waitFor()
    await page.reload()
    await block.waitFor()
    // All of it is in there: what was said, which files changed, and that they were put back.
    await expect.poll(() => page.locator('[data-kind="files"]').count(), patient).toBeLessThanOrEqual(1)
    expect(await page.getByText('planted', { exact: true }).count()).toBe(0)
    await block.getByRole('button', { expanded: false }).first().click()
    await page.getByText('planted', { exact: true }).waitFor()
    // The message that was taken back is not what is proposed to go back to.
    await page.getByRole('button', { name: 'Actions for this run' }).click()
    await page.getByRole('menuitem', { name: 'Rewind' }).click()
    const chosen = dialog.getByRole('combobox', { name: 'Back to' })
    const words = () => chosen.evaluate((box: HTMLSelectElement) => box.selectedOptions[0]?.textContent ?? '')
    expect(await words()).toContain('write first.txt')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await block.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => block.count(), patient).toBe(0)
    await page.getByText('planted', { exact: true }).waitFor()
    await expect.poll(() => existsSync(join(stage.workspaceOf(at), 'second.txt')), patient).toBe(true)
  })

  it('has one line for all that comes before the first message, and for a wake-up, which can be opened', async () => {
    const { at, say } = await told('Start')
    const starts = async (how: string) => {
      for (const phase of ['provisioning', 'restoring', 'setup']) {
        await say('_posthog/phase_start', { phase })
        await say('_posthog/phase_complete', { phase, ms: 1200 })
      }
      await say('_posthog/session_restored', { fromCheckpoint: 'a'.repeat(40), files: 3, ms: 900 })
      await say('_posthog/agent_start', { agent: 'Gardener', sessionId: 's', how })
    }
    await starts('new')
    const { lastEventId: first } = await post(
      stage.hub,
      at,
      notification('_posthog/user_message', { content: 'dig' }),
    )
    await say('_posthog/ack', { for: 'user_message', id: first })
    await say('_posthog/turn_complete', { messageId: first, stopReason: 'end_turn' })
    await starts('resumed')
    await open(at)
    const lines = page.locator('[data-kind="start"]')
    await expect.poll(() => lines.count(), patient).toBe(2)
    await expect.poll(() => page.locator('[data-kind="mark"]').count(), patient).toBe(0)
    expect(await page.getByText('Setup done').count()).toBe(0)
    await lines.first().getByRole('button').click()
    await page.getByText('Setup done after 1.2 s').waitFor()
    // One that failed is not hidden.
    await say('_posthog/phase_start', { phase: 'setup' })
    await say('_posthog/phase_complete', { phase: 'setup', ok: false, error: 'no shovel' })
    await page.getByText('no shovel').waitFor()
  })

  it('says until when a rate limit lasts', async () => {
    const at = await stage.run('Limited')
    await open(at)
    const said = await stage.say(at, 'rate limit for 3 seconds\nsay through')
    await page
      .getByText(/rate limit.*goes on at \d/i)
      .first()
      .waitFor()
    await stage.until(at, said, isOver)
    await page.getByText('through').last().waitFor()
  })

  it('shows characters that turn letters around, in titles too, and gives every text its own direction', async () => {
    const turned = 'save \u202egnp.exe'
    const { at, say } = await told('Letters')
    await renameRun(stage.hub, at.run, turned)
    const { lastEventId: id } = await post(
      stage.hub,
      at,
      notification('_posthog/user_message', { content: turned }),
    )
    await say('_posthog/ack', { for: 'user_message', id })
    await say('agent_message_chunk', { text: `${turned}\n\nשלום, world` })
    await say('tool_call', { toolCallId: 't', title: turned, kind: 'execute', status: 'pending' })
    await say('_posthog/agent_question', { questionId: 'qst_00000001', question: turned, options: [turned] })
    await open(at)
    await answers().waitFor()
    await expect.poll(() => page.title(), patient).toContain('save')
    for (const text of [await page.title(), await page.locator('body').textContent()]) {
      expect(text).not.toContain('\u202e')
      expect(text).toMatch(/save (‹U\+202E›|\ufffd)gnp\.exe/)
    }
    const direction = (text: string) =>
      page
        .getByText(text)
        .filter({ visible: true })
        .evaluateAll((all) => all.map((one) => one.closest('[dir]')?.getAttribute('dir') ?? null))
    for (const dir of await direction('gnp.exe')) expect(dir).toBe('auto')
    expect(await direction('שלום')).toEqual(['auto'])
    expect(await page.getByText('שלום').evaluate((one) => getComputedStyle(one).direction)).toBe('rtl')
    for (const name of ['Message'])
      expect(await page.getByRole('textbox', { name }).getAttribute('dir')).toBe('auto')
  })
})
