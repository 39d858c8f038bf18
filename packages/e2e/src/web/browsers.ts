import { existsSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import { makeSignInCode } from '@farhand/client/resources/sessions'
import { SignedIn } from '@farhand/protocol/schemas/sessions'
import { paths } from '@farhand/protocol/wire/routes'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { Visit } from './visit.ts'

const whole = '/usr/bin/chromium'
// It has no windows, nor all that belongs to them: pages take half the work in it. Not every system has it.
const shell = '/usr/bin/chromium-headless-shell'

/** Whether there is a browser here; before tests the system's own is installed where that can be done. */
export const hasBrowser = existsSync(whole)

export const executable = existsSync(shell) ? shell : whole

export type Device = 'desktop' | 'phone'

const devices: Record<Device, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
}

const launch = (executablePath: string) => chromium.launch({ executablePath, args: ['--no-sandbox'] })

/** Chromium, and in it browsers of people, each with cookies and a memory of its own. */
export class Browsers {
  readonly #browser: Browser
  readonly #hub: Hub
  #telling: Promise<Browser> | null = null

  private constructor(browser: Browser, hub: Hub) {
    this.#browser = browser
    this.#hub = hub
  }

  static async start(hub: Hub): Promise<Browsers> {
    return new Browsers(await launch(executable), hub)
  }

  /**
   * A browser without a signed-in user; `baseURL` is another address of the hub. A browser that has to show notifications
   * needs that permission from here: only some have it.
   */
  async stranger(device: Device = 'desktop', more: BrowserContextOptions = {}): Promise<Visit> {
    const { baseURL = this.#hub.url } = more
    const shape = { ...devices[device], reducedMotion: 'reduce', ...more, baseURL } as const
    const browser = more.permissions?.includes('notifications') ? await this.#thatTells() : this.#browser
    return await Visit.begin(await browser.newContext(shape), baseURL)
  }

  /** A browser that is signed in, as with a link. */
  async visitor(device: Device = 'desktop', more: BrowserContextOptions = {}): Promise<Visit> {
    const visit = await this.stranger(device, more)
    const { code } = await makeSignInCode(this.#hub)
    const origin = more.baseURL ?? this.#hub.url
    const headers = { origin }
    const answer = await visit.context.request.post(paths.signIn(), { data: { code }, headers })
    if (!answer.ok()) throw new Error(`the user could not be signed in: ${await answer.text()}`)
    const { sessionKey } = SignedIn.parse(await answer.json())
    const { cookies } = await visit.context.storageState()
    const localStorage = [{ name: 'farhand.key', value: sessionKey }]
    await visit.context.setStorageState({ cookies, origins: [{ origin, localStorage }] })
    return visit
  }

  /** Without windows there are no notifications. */
  async #thatTells(): Promise<Browser> {
    this.#telling ??= launch(whole)
    return await this.#telling
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await (await this.#telling)?.close()
  }
}
