import { existsSync } from 'node:fs'
import type { Hub } from '@farhand/client/hub'
import { makeSignInCode } from '@farhand/client/sessions'
import { paths } from '@farhand/protocol/routes'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { Visit } from './visit.ts'

const program = '/usr/bin/chromium'

/** Whether there is a browser here; before tests the system's own is installed where that can be done. */
export const hasBrowser = existsSync(program)

export type Device = 'desktop' | 'phone'

const devices: Record<Device, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
}

/** Chromium, and in it browsers of people, each with cookies and a memory of its own. */
export class Browsers {
  readonly #browser: Browser
  readonly #hub: Hub

  private constructor(browser: Browser, hub: Hub) {
    this.#browser = browser
    this.#hub = hub
  }

  static async start(hub: Hub): Promise<Browsers> {
    return new Browsers(await chromium.launch({ executablePath: program, args: ['--no-sandbox'] }), hub)
  }

  /** A browser that nobody is signed in with; `baseURL` is another way to the hub. */
  async stranger(device: Device = 'desktop', more: BrowserContextOptions = {}): Promise<Visit> {
    const { baseURL = this.#hub.url } = more
    const shape = { ...devices[device], reducedMotion: 'reduce', ...more, baseURL } as const
    return await Visit.begin(await this.#browser.newContext(shape), baseURL)
  }

  /** A browser that is signed in, as with a link. */
  async visitor(device: Device = 'desktop', more: BrowserContextOptions = {}): Promise<Visit> {
    const visit = await this.stranger(device, more)
    const { code } = await makeSignInCode(this.#hub)
    const headers = { origin: more.baseURL ?? this.#hub.url }
    const answer = await visit.context.request.post(paths.signIn(), { data: { code }, headers })
    if (!answer.ok()) throw new Error(`nobody could be signed in: ${await answer.text()}`)
    return visit
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }
}
