import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isDrawn, picture } from './a-picture.ts'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { isStill, patient, type Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

const isTurnEnd = ({ notification }: SeenEvent) => notification.method === '_posthog/turn_complete'
/** The agent has taken on what was said into its turn. */
const isJoined = ({ notification: { method, params } }: SeenEvent) =>
  method === '_posthog/ack' && params?.into !== undefined

describe.skipIf(!hasBrowser)('a message that a user writes in a run', () => {
  let stage: WebStage
  let at: RunAddress
  let visit: Visit
  let page: Page
  beforeAll(async () => {
    stage = await WebStage.set()
    at = await stage.run('Composer')
    await stage.turn(at, 'write src/roses.ts with 2 lines\nsay Hello')
    visit = await stage.browsers.visitor()
    page = visit.page
    await page.goto(`/runs/${at.run}`)
    await page.getByText('Hello', { exact: true }).waitFor()
  })
  afterAll(() => stage.close())

  const field = () => page.getByRole('textbox', { name: 'Message' })
  const log = () => page.getByRole('log')
  const chips = () => page.getByRole('list', { name: 'Attachments' })
  const send = async (text: string) => {
    await field().fill(text)
    await field().press('Enter')
  }
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

  it('is proposed while a command or a file is being named, and chosen by keys', async () => {
    await field().pressSequentially('/he')
    const options = page.getByRole('listbox').getByRole('option')
    await options.first().waitFor()
    expect(await options.first().textContent()).toContain('/help')
    // Who types on at once types on behind it, also where the next frame takes long.
    await page.evaluate(() => {
      const next = requestAnimationFrame
      globalThis.requestAnimationFrame = (draw) => next((at) => setTimeout(() => draw(at), 300))
    })
    await field().press('Enter')
    expect(await field().inputValue()).toBe('/help ')
    await field().pressSequentially('@roses', { delay: 100 })
    await page.getByRole('option', { name: 'src/roses.ts' }).waitFor()
    await field().press('Tab')
    expect(await field().inputValue()).toBe('/help @src/roses.ts ')
    await field().fill('')
  })

  it('is kept over a reload until it is sent', async () => {
    await field().fill('say half a')
    await page.reload()
    await field().waitFor()
    expect(await field().inputValue()).toBe('say half a')
    const before = await last()
    await field().pressSequentially(' sentence')
    await field().press('Enter')
    await stage.until(at, before, isTurnEnd)
    await page.reload()
    await field().waitFor()
    expect(await field().inputValue()).toBe('')
  })

  it('waits while the agent works: it can be changed, and taken back', async () => {
    const before = await last()
    await send('wait for go.txt to exist')
    await page.getByRole('button', { name: 'Stop' }).first().waitFor()
    await send('say first')
    await send('say never')
    const rows = page.getByRole('region', { name: 'Waiting messages' }).getByRole('listitem')
    await rows.filter({ hasText: 'say never' }).getByRole('button', { name: 'Withdraw' }).click()
    await rows.filter({ hasText: 'say never' }).waitFor({ state: 'detached' })
    await rows.filter({ hasText: 'say first' }).getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'The message' }).fill('say second thoughts')
    // Who looks something up in the files first finds it as it was left.
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await rows.filter({ hasText: 'say second thoughts' }).getByRole('button', { name: 'Edit' }).click()
    writeFileSync(join(stage.workspaceOf(at), 'go.txt'), '')
    await page.getByText('second thoughts', { exact: true }).waitFor()
    const first = await stage.until(at, before, isTurnEnd)
    await stage.until(at, first.id, isTurnEnd)
    expect(await said('_posthog/message_edit')).toHaveLength(2)
    expect(await page.getByText('never', { exact: true }).count()).toBe(0)
    // Nothing was changed of it before it was begun with: it is not to be said twice.
    expect(await field().inputValue()).toBe('')
  })

  it('is sent into the running turn by keys, and so is one that waited for its end', async () => {
    const before = await last()
    // What is said into it is heard between two of its steps, and it has many.
    await stage.say(at, `wait for heard.txt to exist\n${'wait for 0.1 seconds\n'.repeat(300)}`)
    await page.getByRole('button', { name: 'Stop' }).first().waitFor()
    await send('say what waited')
    const row = page.getByRole('region', { name: 'Waiting messages' }).getByRole('listitem')
    await row.filter({ hasText: 'say what waited' }).getByRole('button', { name: 'Say it now' }).click()
    await field().fill('say right away. stop with end_turn')
    await field().press('Control+Shift+Enter')
    const first = await stage.until(at, before, isJoined)
    // It is told one after the other.
    await row
      .filter({ hasText: 'say right away' })
      .getByText('Sent as soon as the agent accepts it')
      .waitFor()
    expect(await row.getByRole('button', { name: 'Say it now' }).count()).toBe(0)
    writeFileSync(join(stage.workspaceOf(at), 'heard.txt'), '')
    await page.getByText('You say, while I am at it: say what waited').waitFor()
    await stage.until(at, first.id, isJoined)
    await page.getByText('You say, while I am at it: say right away').waitFor()
    await log().getByText('sent into the turn', { exact: true }).last().waitFor()
    await stage.until(at, before, isTurnEnd)
    const steered = (await said('_posthog/user_message')).filter(({ when }) => when === 'steer')
    expect(steered.map(({ content }) => content)).toEqual([
      'say what waited',
      'say right away. stop with end_turn',
    ])
  })

  it('stops the agent at once', async () => {
    // That of the turn before would be pressed before this one has begun, and a cancel is for no turn that begins later.
    await expect.poll(() => page.getByRole('button', { name: /^Stop/ }).count(), patient).toBe(0)
    const before = await last()
    await send('wait for nobody.txt to exist')
    await page.getByRole('button', { name: 'Stop' }).click()
    const end = await stage.until(at, before, isTurnEnd)
    expect(end.notification.params?.stopReason).toBe('cancelled')
  })

  it('stops it with one button, which is beside its steps once there are some', async () => {
    const before = await last()
    await send('plan: look around; write it\nwait for nobody.txt to exist')
    const progress = page.getByRole('region', { name: 'Progress' })
    await progress.getByRole('button', { name: 'step 1 of 2' }).waitFor()
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(1)
    await progress.getByRole('button', { name: 'Stop' }).click()
    const end = await stage.until(at, before, isTurnEnd)
    expect(end.notification.params?.stopReason).toBe('cancelled')
  })

  it('runs a command with ! in front, and a press on Stop counts though output comes meanwhile', async () => {
    await send('!echo from the $((1 + 1))nd shell')
    await page.getByText('from the 2nd shell').waitFor()
    const before = await last()
    // A file of the workspace would be told of below, and move everything.
    const more = join(stage.home, 'more.txt')
    // From elsewhere: what is written with ! ends after 30 s, and on a busy machine that may be before all below has happened.
    const command = `echo begun; until [ -e ${more} ]; do sleep 0.1; done; seq 40; sleep 900`
    await post(stage.hub, at, {
      jsonrpc: '2.0',
      method: '_posthog/shell',
      params: { command, id: 'slow', timeoutSeconds: 600 },
    })
    const shell = page.getByRole('region', { name: 'Command echo begun' })
    await shell.getByText('begun', { exact: true }).waitFor()
    const stop = shell.getByRole('button', { name: 'Stop' })
    // Once it is clear that it takes a while, nothing of it moves any more.
    await vi.waitFor(async () => expect((await shell.boundingBox())?.height).toBeGreaterThan(180), patient)
    // It has grown when the list has followed that, which takes another frame.
    const leftBelow = () => log().evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight)
    await expect.poll(leftBelow, patient).toBeLessThan(2)
    await stop.hover()
    const where = await stop.boundingBox()
    await page.mouse.down()
    writeFileSync(more, '')
    await shell.getByText(/39\n40$/).waitFor()
    expect(await stop.boundingBox()).toEqual(where)
    await page.mouse.up()
    const isEnd = ({ notification: { method, params } }: SeenEvent) =>
      method === '_posthog/sandbox_output' && params?.exitCode !== undefined
    expect((await stage.until(at, before, isEnd)).notification.params?.stderr).toBe('It was stopped.\n')
    expect((await said('_posthog/shell')).map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([30, 600])
  })

  it('takes picked files along: the agent sees pictures, others are saved', async () => {
    const before = await last()
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('roses are red') }
    const trick = { name: 'trick.png', mimeType: 'image/png', buffer: Buffer.from('<script>1</script>') }
    await page.locator('input[type=file]').setInputFiles([notes, picture, trick])
    await chips().getByText('13 bytes').waitFor()
    await isDrawn(chips().getByRole('img', { name: 'See dot.png' }))
    await field().fill('say thanks')
    await chips().getByRole('progressbar').last().waitFor({ state: 'detached' })
    await page.reload()
    // What was attached before is seen as what the hub has of it.
    await isDrawn(chips().getByRole('img', { name: 'See dot.png' }))
    await send('say thanks')
    await stage.until(at, before, isTurnEnd)
    const message = (await said('_posthog/user_message')).at(-1)
    expect(message?.attachments).toMatchObject([
      { name: 'notes.txt', size: 13 },
      { name: 'dot.png' },
      { name: 'trick.png' },
    ])
    await log()
      .getByText(/^Done after/)
      .last()
      .waitFor()
    await log().getByRole('button', { name: 'See dot.png' }).click()
    const whole = page.getByRole('dialog', { name: 'dot.png' })
    await isDrawn(whole.getByRole('img'))
    await page.keyboard.press('Escape')
    await whole.waitFor({ state: 'detached' })
    await log().getByRole('button', { name: 'See dot.png' }).click()
    await whole.click({ position: { x: 5, y: 400 } })
    await whole.waitFor({ state: 'detached' })
    expect(await log().getByRole('button', { name: 'trick.png' }).locator('img').count()).toBe(0)
    const file = log().getByRole('button', { name: 'notes.txt' })
    await isStill(file)
    const saving = page.waitForEvent('download')
    await file.click()
    expect(readFileSync(await (await saving).path(), 'utf8')).toBe('roses are red')
    await log().getByRole('button', { name: 'See dot.png' }).click()
    // The row of the message leaves the page when it is scrolled away; the picture stays.
    await stage.turn(at, Array.from({ length: 60 }, (_, n) => `say line ${n}`).join('\n'))
    await vi.waitFor(async () => {
      await log().evaluate((one) => one.scrollTo(0, one.scrollHeight))
      expect(await log().getByRole('button', { name: 'See dot.png' }).count()).toBe(0)
    }, patient)
    await isDrawn(whole.getByRole('img'))
    await page.keyboard.press('Escape')
    await whole.waitFor({ state: 'detached' })
  })

  it('takes along pasted files, and files dropped anywhere on the page', async () => {
    const given = await page.evaluateHandle(
      (bytes) => {
        const data = new DataTransfer()
        data.items.add(new File([Uint8Array.from(bytes)], 'image.png', { type: 'image/png' }))
        return data
      },
      [...picture.buffer],
    )
    await field().evaluate((one, clipboardData) => {
      one.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, given)
    await log().dispatchEvent('dragover', { dataTransfer: given })
    await page.getByText('Drop to attach').waitFor()
    await log().dispatchEvent('drop', { dataTransfer: given })
    const see = chips().getByRole('img', { name: 'See image.png' })
    await isDrawn(see.nth(0))
    await isDrawn(see.nth(1))
    await chips().getByRole('button', { name: 'Remove image.png' }).last().click()
    await chips().getByRole('button', { name: 'Remove image.png' }).click()
    expect(await chips().count()).toBe(0)
  })

  it('is written on a phone: Enter begins a line, and files go along also over plain http', async () => {
    const phone = await stage.browsers.visitor('phone')
    // What browsers keep from pages that came neither over https nor from the machine itself.
    await phone.context.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined }))
    await phone.page.goto(`/runs/${at.run}`)
    const text = phone.page.getByRole('textbox', { name: 'Message' })
    await text.fill('say with')
    await text.press('Enter')
    expect(await text.inputValue()).toBe('say with\n')
    const buffer = Buffer.concat([picture.buffer, Buffer.from('from a phone')])
    await phone.page.locator('input[type=file]').setInputFiles({ ...picture, buffer })
    await isDrawn(phone.page.getByRole('img', { name: 'See dot.png' }).last())
    const before = await last()
    await phone.page.getByRole('button', { name: 'Send', exact: true }).tap()
    await stage.until(at, before, isTurnEnd)
    const hash = `sha256_${createHash('sha256').update(buffer).digest('hex')}`
    expect((await said('_posthog/user_message')).at(-1)?.attachments).toMatchObject([{ hash }])
    expect(phone.wrongs).toEqual([])
    await phone.close()
  })

  it('shows the progress of a large file, lets it be left out, and tries again after a failure', async () => {
    const large = { name: 'large.bin', mimeType: '', buffer: Buffer.alloc(1_000_000, 'x') }
    const line = await visit.context.newCDPSession(page)
    const slow = (bytesPerSecond: number) =>
      line.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: bytesPerSecond,
      })
    await slow(400_000)
    await page.locator('input[type=file]').setInputFiles(large)
    await chips()
      .getByText(/^[1-9]\d? % of 977 KiB$/)
      .waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await chips().getByRole('button', { name: 'Remove large.bin' }).click()
    expect(await chips().count()).toBe(0)
    await slow(-1)
    await line.detach()

    const refusal = { error: { code: 'blob.mismatch', message: 'not this one', remedy: 'fix-request' } }
    await page.route('**/files/**', (route) => route.fulfill({ status: 400, json: refusal }), { times: 1 })
    // Other bytes: of the first ones all may have got there before they were left out.
    const buffer = Buffer.alloc(1_000_000, 'y')
    await page.locator('input[type=file]').setInputFiles({ ...large, buffer })
    await chips().getByRole('alert').getByText('not this one').waitFor()
    await chips().getByRole('button', { name: 'Upload large.bin again' }).click()
    await chips().getByText('977 KiB', { exact: true }).waitFor()
    await chips().getByRole('button', { name: 'Remove large.bin' }).click()
  })

  const readFromTheStart = async () => {
    // By hand, beside the rows: a list that only moved has not been left, and some rows are scrolled by themselves.
    await log().hover({ position: { x: 4, y: 40 } })
    await page.mouse.wheel(0, -100_000)
    await page.getByRole('button', { name: /^(To the end|\d+ new)$/ }).waitFor()
  }

  it('is shown to its sender, who was reading further up', async () => {
    const before = await last()
    await readFromTheStart()
    await send('say from above')
    await page.getByText('from above', { exact: true }).waitFor()
    await stage.until(at, before, isTurnEnd)
  })

  it('answers a question by a key, also for a user who reads further up', async () => {
    await readFromTheStart()
    const before = await stage.say(at, 'ask "Which colour?" with options red, blue')
    await page.getByRole('button', { name: 'Needs you' }).click()
    const blue = page.getByRole('group', { name: 'Your answer' }).getByRole('button', { name: 'blue' })
    // It is not live at once: a key that was meant for something else must not answer.
    await expect.poll(() => blue.isEnabled(), patient).toBe(true)
    expect(await seriousViolations(page)).toEqual([])
    await field().press('Escape')
    await log().getByText('Which colour?', { exact: true }).last().click()
    await page.keyboard.press('2')
    await page.getByText('Answered: blue, by Chrome on Linux.').waitFor()
    // The key was for the question: no frame is drawn around everything that happened.
    expect(
      await log().evaluate((one) => [document.activeElement === one, getComputedStyle(one).outlineStyle]),
    ).toEqual([true, 'none'])
    await stage.until(at, before, isTurnEnd)
  })

  it('sets the mode of the agent, and what it may do without asking', async () => {
    await page.getByRole('button', { name: 'Agent mode: Normal' }).click()
    await page.getByRole('menuitemradio', { name: 'Careful' }).click()
    const before = await last()
    await send('write careful.txt with "x"')
    await page
      .getByRole('group', { name: 'Your answer' })
      .getByRole('button', { name: 'Reject' })
      .first()
      .click()
    await stage.until(at, before, isTurnEnd)
    await page.getByRole('button', { name: 'Run settings' }).click()
    await page.getByRole('radio', { name: 'Allow file edits' }).click()
    await page.getByRole('radio', { name: 'Allow file edits', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const again = await last()
    await send('write careless.txt with "x"')
    await stage.until(at, again, isTurnEnd)
    const [change] = await said('_posthog/mode_change')
    expect(change).toEqual({ mode: 'interactive', policy: { base: 'allow-edits', interactive: true } })
    expect(visit.wrongs).toEqual([])
  })
})
