import { findRequest, sendRequest } from '@farhand/client/resources/requests'
import { insertRequest } from '@farhand/hub/collab/request-rows'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import { newId, RequestId } from '@farhand/protocol/wire/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from './browsers.ts'
import { seriousViolations } from './serious-violations.ts'
import { WebStage } from './web-stage.ts'

describe.skipIf(!hasBrowser)('requests in the page', () => {
  let stage: WebStage
  beforeAll(async () => {
    stage = await WebStage.set()
  })
  afterAll(() => stage.close())

  it('show what became of each, take the yes to what is offered, and are canceled there', async () => {
    const waiting = await sendRequest(stage.hub, { message: '<b>print</b> the report', needs_device: true })
    const offered = newId(RequestId, 'req')
    const store = await openSqliteStore(`${stage.process.data}/store.sqlite`)
    const { run, user_id } = waiting
    await insertRequest(store.db, {
      ...{
        id: offered,
        user_id,
        run_id: run,
        channel: 'web',
        origin_devices: '[]',
        message: 'scan the letter',
      },
      ...{ message_digest: '', message_event: null, state: 'offered', decided: 'queue', device_id: null },
      ...{ needs_device: 1, part_of: waiting.id, notice: null, created_at: new Date().toISOString() },
      ...{ expires_at: null, reason: 'left over' },
    })
    await store.close()
    const visit = await stage.browsers.visitor('phone')
    const { page } = visit
    await page.goto('/settings')
    const part = page.getByRole('region', { name: 'Requests' })
    await part.getByText('<b>print</b> the report').waitFor()
    await part.getByText(/needs your computer: queue it\?/).waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await part.getByRole('button', { name: 'Queue it' }).click()
    await expect
      .poll(async () => (await findRequest(stage.hub, offered)).state, { timeout: 60_000 })
      .toBe('queued')
    await part.getByRole('button', { name: 'Cancel <b>print</b> the report' }).click()
    await part.getByText(/^canceled/).waitFor()
    expect((await findRequest(stage.hub, waiting.id)).state).toBe('canceled')
    await part.getByRole('link', { name: '<b>print</b> the report' }).click()
    await page.getByText('Your computer is not on right now.').first().waitFor()
    expect(visit.wrongs).toEqual([])
    await visit.close()
  })
})
