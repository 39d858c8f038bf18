import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browsers } from '@farhand/e2e/web/browsers'
import type { Visit } from '@farhand/e2e/web/visit'

/** About what a phone of the middle class has of the speed of a desk. */
const timesSlower = 4

/** Scripts for pages are files of their own: what starts the bench would put words into a function that no page knows. */
export const inPage = (name: string) => fileURLToPath(new URL(`../in-page/${name}.mjs`, import.meta.url))

export type Page = Visit['page']

/** The result of `use` with the browser of a phone on which a user is signed in. */
export async function onPhone<T>(browsers: Browsers, use: (visit: Visit) => Promise<T>): Promise<T> {
  const visit = await browsers.visitor('phone')
  try {
    return await use(visit)
  } finally {
    await visit.close()
  }
}

/** Has a page run as it would on a slow machine. */
export async function slowDown({ context, page }: Visit): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: timesSlower })
}

/** When the row of this event was first painted in sight, in ms since the page was asked for. */
export async function paintedMs(page: Page, address: string, event: number): Promise<number> {
  await page.addInitScript((watched) => void Object.assign(globalThis, { watched }), event)
  await page.addInitScript({ path: inPage('watch-row') })
  await page.goto(address, { waitUntil: 'commit' })
  return await untilGiven(page, () => (globalThis as { paintedMs?: number }).paintedMs ?? null)
}

/** Shows a page that is nothing but this, as if the hub had it. */
export async function showBare({ context, page }: Visit, html: string): Promise<void> {
  await context.route('**/bare', (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto('/bare')
}

/** Asks the page again and again until it has something to say. */
export async function untilGiven<T, Arg>(
  page: Page,
  look: (arg: Arg) => T | null | Promise<T | null>,
  arg?: Arg,
): Promise<T> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    // What is asked while a page goes over into the next gets no answer.
    const found = await page.evaluate(look as (arg: unknown) => T | null, arg).catch(() => null)
    if (found !== null) return found as T
    await wait(100)
  }
  throw new Error('the page has shown nothing for a minute')
}
