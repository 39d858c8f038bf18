import { post } from '@farhand/client/post/post'
import { addUser } from '@farhand/hub/access/users'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import { event } from '@farhand/protocol/events/event-names'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import type { Visit } from './visit.ts'
import { WebStage } from './web-stage.ts'

describe.skipIf(!hasBrowser)('a run that is shared', () => {
  let stage: WebStage
  let token: string
  beforeAll(async () => {
    stage = await WebStage.set()
    const { db, close } = await openSqliteStore(`${stage.process.data}/store.sqlite`)
    token = (await addUser(db, { name: 'Ann Lee', role: 'member' }, new Date())).token
    await close()
  })
  afterAll(() => stage.close())

  async function aRun(title: string): Promise<RunAddress> {
    const at = await stage.emptyRun(title)
    await post(stage.hub, at, event('user_message', { content: `the first words of ${title}` }))
    return at
  }

  async function shareDialog({ page }: Visit, { run }: RunAddress) {
    await page.goto(`/runs/${run}`)
    await page.getByRole('button', { name: 'Actions for this run' }).click()
    await page.getByRole('menuitem', { name: 'Share' }).click()
    return page.getByRole('dialog', { name: 'Share' })
  }

  async function invitation(visit: Visit, at: RunAddress, role: string): Promise<string> {
    const dialog = await shareDialog(visit, at)
    await dialog.getByRole('radio', { name: role }).check()
    await dialog.getByRole('button', { name: 'Make an invitation' }).click()
    return await dialog.getByRole('textbox', { name: 'Invitation' }).inputValue()
  }

  /** Ann signs in, and joins with the link that she was sent. */
  async function join(page: Page, link: string): Promise<void> {
    await page.goto(`/in#token=${token}`)
    await page.getByRole('heading', { name: 'Runs' }).first().waitFor()
    await page.goto(link)
    await page.reload()
    await page.getByText('invites you to the project').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Join' }).click()
  }

  it('is read by a viewer who was invited, who cannot write; as a member the same user can, and each sees the other type', async () => {
    const at = await aRun('planting')
    const [owner, ann] = [await stage.browsers.visitor('desktop'), await stage.browsers.stranger('desktop')]
    await join(ann.page, await invitation(owner, at, 'Viewer'))
    await ann.page.getByRole('link', { name: /planting/ }).click()
    await ann.page.getByText('the first words of planting').waitFor()
    await ann.page.getByText('You may see this run, not work in it.').waitFor()
    expect(await ann.page.getByRole('textbox').count()).toBe(0)
    await owner.page.keyboard.press('Escape')
    await owner.page.getByLabel('Also looking: Ann Lee').getByText('AL').waitFor()

    const dialog = await shareDialog(owner, at)
    expect(await seriousViolations(owner.page)).toEqual([])
    await dialog.getByRole('button', { name: 'Make member' }).click()
    await dialog.getByText('member', { exact: true }).waitFor()
    await owner.page.keyboard.press('Escape')
    await ann.page.reload()
    // Ann's page says that she types only once it knows that others look.
    await ann.page.getByLabel('Also looking: owner').waitFor()
    await ann.page.getByRole('textbox').pressSequentially('Where to dig?')
    await owner.page.getByText('Ann Lee is typing').waitFor()
    await ann.page.keyboard.press('Enter')
    await owner.page.getByText('Where to dig?').waitFor()
    await owner.page.getByText('Ann Lee is typing').waitFor({ state: 'detached' })
    expect([...owner.wrongs, ...ann.wrongs]).toEqual([])
    await Promise.all([owner.close(), ann.close()])
  })

  it('is shown by a link to a guest without an account, who is counted, until the link is revoked', async () => {
    const at = await aRun('watering')
    // Its agent takes the messages: what waits in the queue is shown only to users who could change it.
    await stage.host(at)
    const [owner, guest] = [await stage.browsers.visitor('desktop'), await stage.browsers.stranger('phone')]
    const dialog = await shareDialog(owner, at)
    await dialog.getByRole('button', { name: 'Make a link' }).click()
    const link = await dialog.getByRole('textbox', { name: 'Link to this run' }).inputValue()
    await guest.page.goto(link)
    await guest.page.getByText('the first words of watering', { exact: true }).waitFor()
    await guest.page.getByText(/^Shared view until /).waitFor()
    expect(await guest.page.getByRole('textbox').count()).toBe(0)
    expect(await guest.page.getByText('planting').count()).toBe(0)
    expect(await seriousViolations(guest.page)).toEqual([])
    await post(stage.hub, at, event('user_message', { content: 'and live' }))
    await guest.page.getByText('and live', { exact: true }).waitFor()
    await owner.page.getByLabel('Also looking: 1 guest').waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Revoke' }).first().click()
    await guest.page.getByText('This link shows the run no more.').waitFor()
    await guest.page.reload()
    await guest.page.getByText('The link has expired, was revoked').waitFor()
    expect([...owner.wrongs, ...guest.wrongs]).toEqual([])
    await Promise.all([owner.close(), guest.close()])
  })
})
