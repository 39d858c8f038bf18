import { post } from '@farhand/client/post/post'
import { beginRunner } from '@farhand/client/resources/resources'
import { muteRun } from '@farhand/client/resources/run-preferences'
import { makeSignInCode } from '@farhand/client/resources/sessions'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import type { RunNotification } from '@farhand/protocol/schemas/push'
import { newId, QuestionId, RunId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { FakePush } from '@farhand/testkit/fake-push'
import type { Page, Worker } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Device, hasBrowser } from './browsers.ts'
import { patient } from './visit.ts'
import { WebStage } from './web-stage.ts'

const isOver = ({ notification }: SeenEvent) => notification.method === '_posthog/turn_complete'

type Noted = { title: string; body: string; tag: string }

describe.skipIf(!hasBrowser)('a notification', () => {
  let stage: WebStage
  let service: FakePush
  beforeAll(async () => {
    service = await FakePush.start()
    stage = await WebStage.set(['--allow-private-calls'])
  })
  afterAll(async () => {
    await stage.close()
    await service.close()
  })

  it('goes to a phone for runs that need their user, have failed or are done; not for the one on the screen, nor for muted ones', async () => {
    const at = await stage.run('Roses')
    const { page, wrongs, arrives, noted, click, close } = await toldThere('phone')
    await stage.say(at, 'ask "Which color?" with options red, green')
    const { eventId } = await arrives()
    await expect
      .poll(noted, patient)
      .toEqual([{ title: 'Needs you: Roses', body: 'Garden', tag: `${at.run} needs-you` }])

    // The page that is open goes there, and is brought to the front.
    expect(await click()).toEqual(['focus'])
    await page.waitForURL(`**/runs/${at.run}#e${eventId}`)
    await page.getByRole('button', { name: 'red' }).first().click()
    await stage.until(at, eventId, isOver)
    // They see that it is done: the next that is told is of another run, and was later.
    const tulips = await askedElsewhere('Tulips')
    expect(await arrives()).toMatchObject({ kind: 'needs-you', run: tulips })

    await page.getByRole('button', { name: 'Mute this run' }).click()
    await page.getByRole('button', { name: 'Unmute this run' }).waitFor()
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await stage.turn(at, 'say nobody is told of this')
    const asters = await askedElsewhere('Asters')
    expect(await arrives()).toMatchObject({ kind: 'needs-you', run: asters })
    await muteRun(stage.hub, at.run, false)

    await stage.turn(at, 'fail with no luck')
    expect(await arrives()).toMatchObject({ kind: 'failed', run: at.run })
    const others = ['Needs you: Asters', 'Needs you: Tulips']
    const titles = async () => (await noted()).map(({ title }) => title)
    await expect.poll(titles, patient).toEqual(['Failed: Roses', ...others])
    await stage.turn(at, 'say all is well')
    expect(await arrives()).toMatchObject({ kind: 'done', run: at.run })
    // What is newer of a run takes the place of what is older.
    await expect.poll(titles, patient).toEqual(['Done: Roses', ...others])
    expect(wrongs).toEqual([])
    await close()
  })

  it('opens the run on a desktop where no page is open', async () => {
    const { page, arrives, noted, click, wrongs, close } = await toldThere('desktop')
    const run = await askedElsewhere('Desk')
    const { eventId } = await arrives()
    await expect.poll(noted, patient).toMatchObject([{ title: 'Needs you: Desk' }])
    await page.close()
    expect(await click()).toEqual([`/runs/${run}#e${eventId}`])
    expect(wrongs).toEqual([])
    await close()
  })

  it('W47 W49 still comes to a phone whose session has expired, and leads to the sign-in and then to the run', async () => {
    const { page, arrives, noted, click, wrongs, close } = await toldThere('phone')
    await expireSessions(stage.process.data)
    const field = page.getByLabel('Or type the code')
    // The hub believes what it has just looked up for some seconds.
    await expect
      .poll(async () => {
        await page.reload()
        await field.or(page.getByRole('heading', { name: 'Settings' })).waitFor()
        return await field.count()
      }, patient)
      .toBe(1)
    const run = await askedElsewhere('Lilies')
    const { eventId } = await arrives()
    await expect.poll(noted, patient).toMatchObject([{ title: 'Needs you: Lilies' }])
    expect(await click()).toEqual(['focus'])
    await page.waitForURL(`**/runs/${run}#e${eventId}`)
    await field.fill((await makeSignInCode(stage.hub)).code)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Well?').first().waitFor()
    expect(page.url()).toContain(`/runs/${run}`)
    // It is notified as the browser that has signed in now: signing that one out ends it.
    const next = await askedElsewhere('Irises')
    expect(await arrives()).toMatchObject({ run: next })
    expect(wrongs).toEqual([])
    await close()
  })

  it('is shown among many that come at once, as on a phone that slept', async () => {
    const { arrives, bring, noted, wrongs, close } = await toldThere('phone')
    await askedElsewhere('Dahlias')
    const one = await arrives()
    await bring(Array.from({ length: 8 }, () => ({ ...one, run: newId(RunId, 'run') })))
    expect(await noted()).toHaveLength(9)
    expect(wrongs).toEqual([])
    await close()
  })

  /** A browser whose person has asked to be told, at the page where that is done. */
  async function toldThere(device: Device) {
    const visit = await stage.browsers.visitor(device, { permissions: ['notifications'] })
    const { page, context, wrongs } = visit
    await context.grantPermissions(['notifications'])
    // No browser without a network gets a subscription: this one has that of the pretended service.
    await context.addInitScript((made) => {
      let current: object | null = null
      Object.assign(PushManager.prototype, {
        getSubscription: async () => current,
        subscribe: async (options: object) => (current = { options, toJSON: () => made }),
      })
    }, service.subscribe())
    await page.goto('/settings')
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => null))
    await page.getByRole('button', { name: 'Turn on notifications' }).click()
    await page.getByText('You get a notification on this device').waitFor()
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
    await countShown(worker)
    const deliver = await deliverer(page, stage.hub.url)
    const bring = async (all: readonly RunNotification[]) => {
      const before = await shownIn(worker)
      await Promise.all(all.map((one) => deliver(JSON.stringify(one))))
      await vi.waitUntil(async () => (await shownIn(worker)) === before + all.length, patient)
    }
    return {
      page,
      wrongs,
      /** What the hub sends next, brought to the worker as its push service would. */
      arrives: async () => {
        const said = (await service.next()).said as RunNotification
        await bring([said])
        return said
      },
      bring,
      noted: () => notedIn(worker),
      click: () => clickIn(worker),
      close: async () => {
        // Who signs out is told nothing any more, or the next browser would not be the only one.
        expect((await visit.ask(paths.signOut(), 'POST')).status).toBe(200)
        await visit.close()
      },
    }
  }

  /** Asks something in a run of its own, which no page shows. */
  async function askedElsewhere(title: string): Promise<RunId> {
    const at = await stage.emptyRun(title)
    const { token } = await beginRunner(stage.hub, at)
    const params = { questionId: newId(QuestionId, 'qst'), question: 'Well?' }
    await post({ ...stage.hub, token }, at, { jsonrpc: '2.0', method: '_posthog/agent_question', params })
    return at.run
  }
})

/** As if no browser had been used for a day. */
async function expireSessions(data: string): Promise<void> {
  const { db, close } = await openSqliteStore(`${data}/store.sqlite`)
  const expires_at = new Date(Date.now() - 1000).toISOString()
  await db.updateTable('tokens').set({ expires_at }).where('kind', '=', 'session').execute()
  await close()
}

/** Brings messages to the service worker of a page as the browser does when its push service has some. */
async function deliverer(page: Page, origin: string): Promise<(data: string) => Promise<void>> {
  const cdp = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [one] = registrations
      if (one) resolve(one.registrationId)
    }),
  )
  await cdp.send('ServiceWorker.enable')
  const registrationId = await registered
  return async (data) => {
    await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  }
}

/**
 * Counts in a worker what it has shown. Chromium drops a notification that is read between being noted and being on the screen,
 * so a test must not ask which notifications there are while one is shown.
 */
const countShown = (worker: Worker): Promise<void> =>
  worker.evaluate(() => {
    const here = globalThis as unknown as { registration: ServiceWorkerRegistration; shown: number }
    const { registration } = here
    const show = registration.showNotification.bind(registration)
    here.shown = 0
    registration.showNotification = async (...what) => {
      await show(...what)
      here.shown += 1
    }
  })

const shownIn = (worker: Worker): Promise<number> =>
  worker.evaluate(() => (globalThis as unknown as { shown: number }).shown)

const notedIn = (worker: Worker): Promise<Noted[]> =>
  worker.evaluate(async () => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
    const all = await registration.getNotifications()
    return all
      .map(({ title, body, tag }) => ({ title, body, tag }))
      .sort((a, b) => (a.title < b.title ? -1 : 1))
  })

/**
 * Clicks the newest notification. Only a real finger may open windows and bring them to the front: what the worker wants
 * to do is noted instead.
 */
const clickIn = (worker: Worker): Promise<string[]> =>
  worker.evaluate(async () => {
    const here = globalThis as unknown as {
      registration: ServiceWorkerRegistration
      Clients: { prototype: object }
      WindowClient: { prototype: object }
      NotificationEvent: new (
        name: string,
        init: object,
      ) => Event & { waitUntil(work: Promise<unknown>): void }
    }
    const went: string[] = []
    Object.assign(here.Clients.prototype, { openWindow: async (path: string) => void went.push(path) })
    Object.assign(here.WindowClient.prototype, { focus: async () => void went.push('focus') })
    const notification = (await here.registration.getNotifications()).at(-1)
    const event = new here.NotificationEvent('notificationclick', { notification })
    const works: Promise<unknown>[] = []
    event.waitUntil = (work) => void works.push(work)
    globalThis.dispatchEvent(event)
    await Promise.all(works)
    return went
  })
