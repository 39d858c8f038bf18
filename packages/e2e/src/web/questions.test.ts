import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { post } from '@farhand/client/post/post'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { patient, type Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

const asking = fileURLToPath(new URL('asking-agent.mjs', import.meta.url))
const isOver = ({ notification }: SeenEvent) => notification.method === '_posthog/turn_complete'
const colour = {
  type: 'string',
  title: 'Colour',
  oneOf: [
    { const: 'r', title: 'Red' },
    { const: 'b', title: 'Blue' },
  ],
}

describe.skipIf(!hasBrowser)('a question with a form', () => {
  let stage: WebStage
  let at: RunAddress
  let desk: Visit
  let phone: Visit
  beforeAll(async () => {
    stage = await WebStage.set()
    at = await stage.emptyRun('Forms')
    const state = stage.stateOf(at)
    mkdirSync(state)
    const entry = { id: 'rehearsal', name: 'Asking', command: process.execPath, args: [asking] }
    writeFileSync(join(state, 'agents.json'), JSON.stringify([entry]))
    const visitors = [stage.browsers.visitor('desktop'), stage.browsers.visitor('phone')] as const
    const [, one, other] = await Promise.all([stage.host(at), ...visitors])
    desk = one
    phone = other
    await Promise.all([desk, phone].map(({ page }) => page.goto(`/runs/${at.run}`)))
  })
  afterAll(() => stage.close())

  const ask = (message: string, properties: object, required: string[] = []) =>
    stage.say(at, JSON.stringify({ message, requestedSchema: { type: 'object', properties, required } }))
  const form = ({ page }: Visit) => page.getByRole('group', { name: 'Your answer' })
  /** What the agent says that it was answered. */
  const heard = ({ page }: Visit, answer: object) =>
    page.getByText(JSON.stringify(answer), { exact: true }).waitFor()

  it('is filled in on a phone, and says which values do not fit before the agent gets them', async () => {
    const asked = await ask(
      'How shall it be?',
      {
        name: { type: 'string', title: 'Name', description: 'As people will call it' },
        count: { type: 'integer', title: 'How many', minimum: 1, maximum: 5 },
        sure: { type: 'boolean', title: 'Sure' },
        colour,
        sizes: { type: 'array', title: 'Sizes', items: { enum: ['small', 'large', 'huge'] } },
      },
      ['name', 'count', 'sure', 'colour'],
    )
    const fields = form(phone)
    await fields.getByLabel('Name').fill('Rose')
    await fields.getByLabel('How many').fill('9')
    await fields.getByLabel('Sure').check()
    await fields.getByLabel('Colour').selectOption('Blue')
    await fields.getByLabel('small').check()
    await fields.getByLabel('huge').check()
    await fields.getByRole('button', { name: 'Send' }).tap()
    await fields
      .getByRole('alert')
      .getByText('How many (count) must be at most 5.', { exact: true })
      .waitFor()
    expect(await seriousViolations(phone.page)).toEqual([])
    // Who looks at the files first finds the form as it was left.
    await phone.page.goto(`/runs/${at.run}/files`)
    await phone.page.goto(`/runs/${at.run}`)
    expect(await fields.getByLabel('Name').inputValue()).toBe('Rose')
    await fields.getByLabel('How many').fill('3')
    await fields.getByRole('button', { name: 'Send' }).tap()
    const content = { name: 'Rose', count: 3, sure: true, colour: 'b', sizes: ['small', 'huge'] }
    await stage.until(at, asked, isOver)
    await heard(phone, { action: 'accept', content })
    const words = 'name: Rose, count: 3, sure: true, colour: b, sizes: ["small","huge"]'
    await desk.page.getByText(`Answered: ${words}, by Chrome on Linux.`, { exact: true }).waitFor()
  })

  it('takes the user’s own words beside its choices, and can be declined', async () => {
    const first = await ask('Which one?', { colour, other: { type: 'string', title: 'Another one' } })
    await form(desk).getByRole('button', { name: 'Red' }).waitFor()
    await form(desk).getByRole('textbox', { name: 'Another one' }).fill('mauve')
    await desk.page.reload()
    await form(desk).getByRole('button', { name: 'Red' }).waitFor()
    expect(await form(desk).getByRole('textbox', { name: 'Another one' }).inputValue()).toBe('mauve')
    await form(desk).getByRole('textbox', { name: 'Another one' }).press('Enter')
    await stage.until(at, first, isOver)
    await heard(desk, { action: 'accept', content: { other: 'mauve' } })
    const second = await ask('And why?', { why: { type: 'string', title: 'Why' } })
    await form(desk).getByRole('button', { name: 'Decline to answer' }).click()
    await stage.until(at, second, isOver)
    await heard(desk, { action: 'decline' })
    await phone.page.getByText('Declined, by Chrome on Linux.', { exact: true }).waitFor()
  })

  it('is not sent by a click that was meant for the element before it', async () => {
    // The element that is in the button's place at that moment is pressed.
    await desk.page.evaluate(() => {
      const seen = new MutationObserver(() => {
        const send = document.querySelector('[aria-label="Your answer"] [type="submit"]')
        if (!send) return
        seen.disconnect()
        for (const detail of [1, 2])
          send.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail }))
      })
      seen.observe(document, { subtree: true, childList: true })
    })
    const fields = { colour: { ...colour, default: 'b' }, sure: { type: 'boolean', title: 'Sure' } }
    const asked = await ask('Is it so?', fields)
    const send = form(desk).getByRole('button', { name: 'Send' })
    await expect.poll(() => send.isEnabled(), patient).toBe(true)
    await send.dispatchEvent('click', { detail: 2 })
    await form(desk).getByLabel('Sure').check()
    await send.click()
    await stage.until(at, asked, isOver)
    await heard(desk, { action: 'accept', content: { colour: 'b', sure: true } })
  })

  it('counts down to the time of its run’s policy, and says which answer is taken then', async () => {
    // One whose clock is wrong counts by that of the hub.
    await phone.page.addInitScript(() => {
      const now = Date.now
      Date.now = () => now() + 600_000
    })
    await phone.page.reload()
    await phone.page.getByText('Declined, by Chrome on Linux.', { exact: true }).waitFor()
    const within = async (timeoutSeconds: number) => {
      const params = { mode: 'interactive', policy: { timeoutSeconds, interactive: true } }
      await post(stage.hub, at, { jsonrpc: '2.0', method: '_posthog/mode_change', params })
      return await ask('Which one then?', { colour: { ...colour, default: 'b' } }, ['colour'])
    }
    // Long enough to be seen at any pace.
    const first = await within(110)
    for (const { page } of [desk, phone]) {
      const left = async () => {
        const words = await page.getByRole('timer').textContent()
        return Number(/(\d+) s left, then “Blue” is taken/.exec(words ?? '')?.[1])
      }
      await expect.poll(left, patient).toBeLessThanOrEqual(110)
      const before = await left()
      await expect.poll(left, patient).toBeLessThan(before)
    }
    await form(desk).getByRole('button', { name: 'Red' }).click()
    await stage.until(at, first, isOver)
    await heard(desk, { action: 'accept', content: { colour: 'r' } })
    const asked = await within(2)
    await stage.until(at, asked, isOver)
    const why = 'No answer within 2 seconds, so its default was taken. (Blue)'
    await desk.page.getByText(why, { exact: true }).waitFor()
    await heard(desk, { action: 'accept', content: { colour: 'b' } })
    expect([...desk.wrongs, ...phone.wrongs]).toEqual([])
  })
})
