import { listSchedules } from '@farhand/client/resources/schedules'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Device, hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

describe.skipIf(!hasBrowser)('schedules in the app', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage?.close())

  it.each<Device>(['desktop', 'phone'])(
    'are made, started, followed to the run, paused, changed and deleted on a %s, without an accessibility problem',
    async (device) => {
      const visit = await stage.browsers.visitor(device)
      const { page } = visit
      const found: string[] = []
      const look = async (name: string) =>
        found.push(...(await seriousViolations(page)).map((wrong) => `${name}: ${wrong}`))
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const field = (name: string) => page.getByRole('textbox', { name })

      await page.goto('/')
      await button('Schedules').click()
      await page.getByText('There are none yet.').waitFor()
      await button('New schedule').click()
      await page.getByRole('combobox', { name: 'When' }).selectOption('daily')
      await field('Time zone').fill('Europe/Berlin')
      await page.getByRole('combobox', { name: 'Agent' }).selectOption('rehearsal')
      await button('Save').click()
      await page.getByText('Say what is to be done.').waitFor()
      await look('form')
      await field('What is to be done').fill('say roses')
      await field('Name').fill('Morning')
      await button('Save').click()
      await page.getByRole('heading', { name: 'Morning' }).waitFor()
      expect(await page.getByText(/\d{4} 09:00$/).count()).toBe(3)
      await page.getByText('It was not due yet.').waitFor()
      await look('schedule')

      await button('Run now').click()
      const history = page.getByRole('region', { name: 'History' })
      const seen = async () => {
        await button('Refresh').click()
        return await history.getByText('finished').count()
      }
      await expect.poll(seen, patient).toBe(1)
      await look('history')
      await button('Pause').click()
      await page.getByText('You paused it.').waitFor()
      await button('Edit').click()
      await field('Name').fill('Evening')
      await button('Save').click()
      await page.getByRole('heading', { name: 'Evening' }).waitFor()
      await history.getByRole('link', { name: 'Open the run' }).click()
      await page.getByRole('heading', { name: 'Morning' }).first().waitFor()
      await page.goBack()

      await button('Delete').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('There are none yet.').waitFor()
      expect((await listSchedules(stage.hub)).items).toEqual([])
      expect([...found, ...visit.wrongs]).toEqual([])
      await visit.close()
    },
    180_000,
  )
})
