import { sessionKeyHeader } from '@farhand/protocol/wire/session-key'
import type { BrowserContext, Locator, Page } from 'playwright-core'

/** What the browser itself says when a hub is away is no defect of a page. */
const isOfLine = (text: string) =>
  /Failed to load resource|net::ERR_|WebSocket|the server responded/i.test(text)

/** How long anything may take, also where other programs keep every core busy. It only matters when something is wrong. */
export const patient = { timeout: 50_000 }

/** Visits that have not been closed yet. */
const open = new Set<Visit>()

/** A browser with one page in it, and everything that went wrong there. */
export class Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors, scripts that should not have run, refusals of the security policy, requests to anywhere else. */
  readonly wrongs: string[] = []

  readonly #origin: string

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.#origin = origin
    this.context = context
    this.page = page
    open.add(this)
    page.on('pageerror', (error) => this.wrongs.push(`thrown: ${error.message}`))
    page.on('dialog', (dialog) => {
      this.wrongs.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('console', (said) => {
      if (said.type() === 'error' && !isOfLine(said.text())) this.wrongs.push(`said: ${said.text()}`)
    })
    context.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(`${origin}/`) && !/^(blob|data):/.test(url)) this.wrongs.push(`asked for ${url}`)
    })
  }

  static async begin(context: BrowserContext, origin: string): Promise<Visit> {
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`refused by the policy: ${violatedDirective} ${blockedURI}`),
      )
    })
    // Short messages disappear after some seconds, perhaps before the test looks: they are recorded.
    await context.addInitScript(() => {
      const { told } = Object.assign(globalThis, { told: new Set<string>() })
      const look = () => {
        for (const one of document.querySelectorAll('[role="status"]')) told.add(one.textContent)
      }
      const changes = { subtree: true, childList: true, characterData: true }
      new MutationObserver(look).observe(document, changes)
    })
    context.setDefaultTimeout(patient.timeout)
    return new Visit(context, await context.newPage(), origin)
  }

  /** What all open pages show: a test that fails elsewhere can only be understood by that. */
  static async allShown(): Promise<string[]> {
    return await Promise.all([...open].map((visit) => visit.#shown()))
  }

  async #shown(): Promise<string> {
    const soon = { timeout: 2000 }
    const text = await this.page
      .locator('body')
      .ariaSnapshot(soon)
      .catch((error: Error) => `(nothing: ${error.message.split('\n')[0]})`)
    return [`The page ${this.page.url()} shows:`, text.slice(0, 4000), ...this.wrongs].join('\n')
  }

  /** Waits until this is said in passing, or was since the page was loaded. */
  async isTold(words: string): Promise<void> {
    await this.page.waitForFunction((words) => {
      const { told } = globalThis as unknown as { told: Set<string> }
      return [...told].some((text) => text.includes(words))
    }, words)
  }

  /** Asks the hub as the page would: with its cookie and its key. There need not be a page any more. */
  async ask(path: string, method: 'GET' | 'POST' = 'GET'): Promise<{ status: number; body: unknown }> {
    const { origins } = await this.context.storageState()
    const kept = origins.find(({ origin }) => origin === this.#origin)?.localStorage ?? []
    const key = kept.find(({ name }) => name === 'farhand.key')?.value ?? ''
    const headers = { [sessionKeyHeader]: key, origin: this.#origin }
    const answer = await this.context.request.fetch(path, { method, headers })
    return { status: answer.status(), body: await answer.json().catch(() => null) }
  }

  async close(): Promise<void> {
    open.delete(this)
    await this.context.close()
  }
}

/** Waits until something stays where it is: a press on what moves just then, as texts above it are laid out, is none. */
export async function isStill(locator: Locator): Promise<void> {
  await locator.evaluate(async (element) => {
    const place = () => JSON.stringify(element.getBoundingClientRect())
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    for (let [still, last] = [0, place()]; still < 30; still = place() === last ? still + 1 : 0) {
      last = place()
      await frame()
    }
  })
}
