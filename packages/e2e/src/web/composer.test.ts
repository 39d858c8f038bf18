import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLog } from '@farhand/client/read-log'
import type { RunAddress } from '@farhand/protocol/routes'
import type { SeenEvent } from '@farhand/protocol/seen-event'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import type { Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

const isTurnEnd = ({ notification }: SeenEvent) => notification.method === '_posthog/turn_complete'

describe.skipIf(!hasBrowser)('what people write in a run', () => {
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
    await field().press('Enter')
    expect(await field().inputValue()).toBe('/help ')
    await field().pressSequentially('@roses')
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
    const rows = page.getByRole('region', { name: 'What waits' }).getByRole('listitem')
    await rows.filter({ hasText: 'say never' }).getByRole('button', { name: 'Take back' }).click()
    await rows.filter({ hasText: 'say never' }).waitFor({ state: 'detached' })
    await rows.filter({ hasText: 'say first' }).getByRole('button', { name: 'Change' }).click()
    await page.getByRole('textbox', { name: 'The message' }).fill('say second thoughts')
    await page.getByRole('button', { name: 'Save' }).click()
    await rows.filter({ hasText: 'say second thoughts' }).getByRole('button', { name: 'Change' }).waitFor()
    writeFileSync(join(stage.workspaceOf(at), 'go.txt'), '')
    await page.getByText('second thoughts', { exact: true }).waitFor()
    const first = await stage.until(at, before, isTurnEnd)
    await stage.until(at, first.id, isTurnEnd)
    expect(await said('_posthog/message_edit')).toHaveLength(2)
    expect(await page.getByText('never', { exact: true }).count()).toBe(0)
  })

  it('stops the agent at once', async () => {
    const before = await last()
    await send('wait for nobody.txt to exist')
    await page.getByRole('button', { name: 'Stop' }).last().click()
    const end = await stage.until(at, before, isTurnEnd)
    expect(end.notification.params?.stopReason).toBe('cancelled')
  })

  it('runs a command with ! in front, and can stop it', async () => {
    await send('!echo from the $((1 + 1))nd shell')
    await page.getByText('from the 2nd shell').waitFor()
    const before = await last()
    await send('!echo begun; sleep 300')
    const shell = page.getByRole('region', { name: 'Command echo begun; sleep 300' })
    // What is printed moves the button.
    await shell.getByText('begun', { exact: true }).waitFor()
    await shell.getByRole('button', { name: 'Stop' }).click()
    const isEnd = ({ notification: { method, params } }: SeenEvent) =>
      method === '_posthog/sandbox_output' && params?.exitCode !== undefined
    expect((await stage.until(at, before, isEnd)).notification.params?.stderr).toBe('It was stopped.\n')
    expect((await said('_posthog/shell')).map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([30, 30])
  })

  it('takes files along that were picked', async () => {
    const before = await last()
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('roses are red') }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('list', { name: 'Files that go along' }).getByText('13 bytes').waitFor()
    await send('say thanks')
    await stage.until(at, before, isTurnEnd)
    const message = (await said('_posthog/user_message')).at(-1)
    expect(message?.attachments).toEqual([expect.objectContaining({ name: 'notes.txt', size: 13 })])
  })

  const readFromTheStart = async () => {
    await page.getByRole('log').evaluate((box) => {
      box.scrollTop = 0
    })
    await page.getByRole('button', { name: 'To the end' }).waitFor()
  }

  it('is seen by whoever sends it, wherever they were reading', async () => {
    const before = await last()
    await readFromTheStart()
    await send('say from above')
    await page.getByText('from above', { exact: true }).waitFor()
    await stage.until(at, before, isTurnEnd)
  })

  it('answers a question by a key, which finds those who read further up', async () => {
    await readFromTheStart()
    const before = await stage.say(at, 'ask "Which colour?" with options red, blue')
    await page.getByRole('button', { name: 'Needs you' }).click()
    await page.getByRole('group', { name: 'Your answer' }).getByRole('button', { name: 'blue' }).waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await field().press('Escape')
    await page.keyboard.press('2')
    await page.getByText('Answered: blue, by Chrome on Linux.').waitFor()
    await stage.until(at, before, isTurnEnd)
  })

  it('sets the mode of the agent, and what it may do without asking', async () => {
    await page.getByRole('button', { name: 'Mode of the agent: Normal' }).click()
    await page.getByRole('menuitemradio', { name: 'Careful' }).click()
    const before = await last()
    await send('write careful.txt with "x"')
    await page
      .getByRole('group', { name: 'Your answer' })
      .getByRole('button', { name: 'Reject' })
      .first()
      .click()
    await stage.until(at, before, isTurnEnd)
    await page.getByRole('button', { name: 'How this run is worked at' }).click()
    await page.getByRole('radio', { name: 'Let it edit files' }).click()
    await page.getByRole('radio', { name: 'Let it edit files', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const again = await last()
    await send('write careless.txt with "x"')
    await stage.until(at, again, isTurnEnd)
    const [change] = await said('_posthog/mode_change')
    expect(change).toEqual({ mode: 'interactive', policy: { base: 'allow-edits', interactive: true } })
    expect(visit.wrongs).toEqual([])
  })
})
