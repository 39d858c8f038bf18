// Makes a picture of every made-up screen, at both sizes and in both themes: node packages/web/dev/look.mjs <folder> [screen...]
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { build, preview } from 'vite'

const [folder = 'looks', ...wanted] = process.argv.slice(2)
const sizes = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
mkdirSync(folder, { recursive: true })

const root = fileURLToPath(new URL('..', import.meta.url))
const outDir = path.resolve(folder, '.app')
const quiet = { root, configFile: false, logLevel: 'error' }
const input = path.join(root, 'dev/index.html')
await build({ ...quiet, build: { outDir, emptyOutDir: true, minify: false, rollupOptions: { input } } })
const server = await preview({ ...quiet, build: { outDir }, preview: { host: '127.0.0.1', port: 0 } })
const address = `http://127.0.0.1:${server.httpServer.address().port}/dev/index.html`
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const first = await browser.newPage()
  await first.goto(address)
  await first.waitForSelector('li')
  const names = await first.locator('li').allTextContents()
  for (const name of names.filter((one) => wanted.length === 0 || wanted.includes(one)))
    for (const [size, viewport] of Object.entries(sizes))
      for (const theme of ['light', 'dark']) {
        const isPhone = size === 'phone'
        const context = await browser.newContext({
          viewport,
          colorScheme: theme,
          hasTouch: isPhone,
          isMobile: isPhone,
          deviceScaleFactor: isPhone ? 2 : 1,
        })
        const page = await context.newPage()
        page.on('pageerror', (error) => console.error(`${name}: ${error}`))
        page.on('console', (said) => said.type() === 'error' && console.error(`${name}: ${said.text()}`))
        await page.goto(`${address}?screen=${name}&theme=${theme}`)
        await page.waitForSelector('#app > *')
        await page.waitForLoadState('networkidle')
        await page.screenshot({ path: path.join(folder, `${name}-${size}-${theme}.png`) })
        await context.close()
      }
} finally {
  await browser.close()
  await server.close()
}
