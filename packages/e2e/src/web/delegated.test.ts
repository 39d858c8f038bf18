import { TaskClient } from '@farhand/client/delegated/task-client'
import type { DelegatedTask } from '@farhand/protocol/delegated/delegated-tasks'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { WebStage } from './web-stage.ts'

const devices = ['desktop', 'phone'] as const

describe.skipIf(!hasBrowser)('a delegated task in a browser', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  const delegate = async (task: string): Promise<DelegatedTask> => {
    const made = await new TaskClient(stage.hub).create({ task, sandbox: 'none', agent: 'rehearsal' })
    await stage.host(made.run)
    return made
  }
  const cardOf = (page: Page) => page.getByRole('region', { name: 'Delegated task' })

  it.each(devices)(
    'has a card with its steps, its share and its time, also after a reload, on a %s',
    async (device) => {
      const { session_id: run } = await delegate(
        'plan: Look around; Compare the prices; Write the report\nread notes.md\nask "Which colour?" with options red, green\nsay Done.',
      )
      const { page, wrongs } = await stage.browsers.visitor(device)
      await page.goto('/')
      await page.locator(`[data-run="${run}"]`).getByText('33 %').waitFor()
      await page.goto(`/runs/${run}`)
      const card = cardOf(page)
      for (let loads = 0; loads < 2; loads++) {
        await card.getByText('Waiting for your answer').waitFor()
        await card.getByText('33 %').waitFor()
        await card.getByText(/elapsed · about .* left/).waitFor()
        const steps = card.getByRole('listitem')
        expect(await steps.allTextContents()).toEqual([
          'Look arounddone',
          'Compare the pricesrunning',
          'Write the reportto do',
        ])
        await page.reload()
      }
      expect(wrongs).toEqual([])
    },
  )

  it('is paused, resumed and canceled with the buttons of its card, and is marked in the list', async () => {
    const { session_id: run, task_id: id } = await delegate('wait for 90 seconds')
    const { page } = await stage.browsers.visitor()
    await page.goto(`/runs/${run}`)
    const card = cardOf(page)
    await card.getByRole('button', { name: 'Pause' }).click()
    await card.getByText('Paused', { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Resume' }).waitFor()
    await card.getByRole('button', { name: 'Cancel' }).click()
    await card.getByText('Canceled', { exact: true }).waitFor()
    expect(await card.getByRole('button', { name: 'Pause' }).count()).toBe(0)
    expect((await new TaskClient(stage.hub).get(id)).status).toBe('canceled')
    await page.goto('/')
    await page.locator(`[data-run="${run}"]`).getByText('delegated', { exact: true }).waitFor()
  })

  it('is told from a run that a person has begun', async () => {
    const at = await stage.run('Prune the roses')
    await stage.turn(at, 'say cut')
    const { page } = await stage.browsers.visitor()
    await page.goto(`/runs/${at.run}`)
    await page.getByText('cut', { exact: true }).first().waitFor()
    expect(await cardOf(page).count()).toBe(0)
  })
})
