import { fileURLToPath } from 'node:url'
import type { RunCache } from '@farhand/web/storage/run-cache'
import { runCacheContract } from '@farhand/web/storage/run-cache.contract'
import { build } from 'esbuild'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { executable, hasBrowser } from './browsers.ts'

const storage = fileURLToPath(new URL('../../../web/src/storage', import.meta.url))

/** The module of the page that opens the cache, as one script. */
async function script(): Promise<string> {
  const contents = `
    import { openDatabase } from './database.ts'
    import { indexedRunCache } from './indexed-run-cache.ts'
    globalThis.cache = openDatabase('http://hub.test/', 'usr_someone0').then((db) => indexedRunCache(db))`
  const built = await build({
    stdin: { contents, resolveDir: storage, loader: 'ts' },
    bundle: true,
    format: 'iife',
    write: false,
  })
  return built.outputFiles[0]!.text
}

const methods = ['read', 'add', 'loadRun', 'saveRun', 'forget'] as const

/** The cache that this page has, for calls from outside of it. */
function cacheOf(page: Page): RunCache {
  const call =
    (method: (typeof methods)[number]) =>
    (...args: unknown[]) =>
      page.evaluate(
        async ([method, args]) =>
          await (
            await (globalThis as never as { cache: Promise<Record<string, (...args: unknown[]) => unknown>> })
              .cache
          )[method]!(...args),
        [method, args] as const,
      )
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as never
}

async function pageIn(context: BrowserContext, text: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto('http://hub.test/')
  await page.addScriptTag({ content: text })
  return page
}

describe.skipIf(!hasBrowser)('in Chromium', () => {
  let browser: Browser
  let text: string
  beforeAll(async () => {
    text = await script()
    browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] })
  })
  afterAll(() => browser.close())

  runCacheContract('in IndexedDB', async () => {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    await context.route('**/*', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>cache</title>' }),
    )
    return [cacheOf(await pageIn(context, text)), cacheOf(await pageIn(context, text))]
  })
})
