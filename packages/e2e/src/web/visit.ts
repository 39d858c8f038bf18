import type { BrowserContext, Page } from 'playwright-core'

/** What the browser itself says when a hub is away is no defect of a page. */
const isOfLine = (text: string) =>
  /Failed to load resource|net::ERR_|WebSocket|the server responded/i.test(text)

/** A browser with one page in it, and everything that went wrong there. */
export class Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors, scripts that should not have run, refusals of the security policy, requests to anywhere else. */
  readonly wrongs: string[] = []

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.context = context
    this.page = page
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
    context.setDefaultTimeout(25_000)
    return new Visit(context, await context.newPage(), origin)
  }

  async close(): Promise<void> {
    await this.context.close()
  }
}
