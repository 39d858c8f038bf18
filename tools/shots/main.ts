import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Device } from '@farhand/e2e/web/browsers'
import type { Visit } from '@farhand/e2e/web/visit'
import { WebStage } from '@farhand/e2e/web/web-stage'
import installChromium from '../install/install-chromium.ts'
import { installPackage, thisMachine } from '../install/install-package.ts'
import { type MadeUpRuns, madeUpRuns } from './made-up-runs.ts'
import { spreadTimes } from './spread-times.ts'

type Shot = `${Device}-${'light' | 'dark'}`
type Screen = {
  name: string
  address: string
  /** What is there when the screen is complete. */
  shows: string | RegExp
  /** Which of them are kept in docs. */
  kept: readonly Shot[]
  make?: (page: Visit['page'], device: Device) => Promise<void>
}

// `npm run shots -- <folder>` makes pictures of every screen in every way, to be looked at.
const everything = process.argv[2]
const folder = everything ?? fileURLToPath(new URL('../../docs', import.meta.url))
const sizes = {
  desktop: {
    viewport: { width: 1440, height: 1060 },
    deviceScaleFactor: 1.5,
    userAgent: 'Macintosh; Intel Mac OS X Chrome/140 Safari/537',
  },
  phone: { userAgent: 'iPhone; CPU iPhone OS Version/26 Safari/605' },
}
const asked = 'The search takes two seconds on the first page. Find out why, and make it fast.'
const all: readonly Shot[] = ['desktop-light', 'desktop-dark', 'phone-light', 'phone-dark']

await installChromium()
const shrinks = (await installPackage({ program: 'pngquant', package: 'pngquant' }, thisMachine)) === null
const inter = '/usr/share/fonts/opentype/inter'
await installPackage(
  { program: 'inter', package: 'fonts-inter' },
  { ...thisMachine, has: (name) => (name === 'inter' ? existsSync(inter) : thisMachine.has(name)) },
)
mkdirSync(folder, { recursive: true })
const stage = await WebStage.set()
let runs: MadeUpRuns | null = null
try {
  runs = await madeUpRuns(stage)
  const { price, login, scenes } = runs
  const screens: readonly Screen[] = [
    {
      name: 'run',
      address: `/runs/${price.run}`,
      shows: 'Allow once',
      kept: all,
      make: async (page) => {
        const tests = page.getByRole('button', { name: /npm test/, expanded: false }).last()
        await tests.scrollIntoViewIfNeeded()
        await tests.click()
        await page.getByText('49 passed').waitFor()
        // The button that goes there appears some frames later, or not at all where the row still fits.
        await page.keyboard.press('G')
        await page.getByRole('button', { name: 'To the end' }).waitFor({ state: 'hidden' })
        // After a key the row would be shown as having the focus.
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      },
    },
    {
      name: 'files',
      address: `/runs/${price.run}/files#file=src%2Fcart%2Fprice.ts`,
      shows: 'sumOf',
      kept: ['desktop-light', 'desktop-dark', 'phone-dark'],
      make: async (page, device) => {
        if (device === 'desktop') await page.getByRole('button', { name: 'Split' }).click()
      },
    },
    { name: 'runs', address: '/', shows: 'Changelog', kept: ['phone-light', 'phone-dark'] },
    {
      name: 'question',
      address: `/runs/${login.run}`,
      shows: 'When are they offered?',
      kept: ['phone-light'],
    },
    {
      name: 'new',
      address: '/new',
      shows: 'Permissions',
      kept: ['phone-dark'],
      make: async (page) => {
        await page.getByText('A repository').click()
        await page.getByLabel('Address of the repository').fill('https://github.com/acme/webshop')
        await page.getByLabel('What is to be done').fill(asked)
      },
    },
    { name: 'settings', address: '/settings', shows: 'this device', kept: ['phone-light'] },
  ]
  for (const shot of all) {
    const [device, colorScheme] = shot.split('-') as [Device, 'light' | 'dark']
    const visit = await stage.browsers.visitor(device, {
      colorScheme,
      // Without it a browser without windows is taken, which refuses them by itself.
      permissions: ['notifications'],
      ...sizes[device],
    })
    const { page } = visit
    await spreadTimes(page, scenes)
    for (const { name, address, shows, kept, make } of screens) {
      if (!everything && !kept.includes(shot)) continue
      await page.goto(address)
      await page.evaluate(() => document.documentElement.style.setProperty('--font', 'Inter, sans-serif'))
      await page.getByText(shows).filter({ visible: true }).last().waitFor()
      await make?.(page, device)
      // Answers cannot be given in the first moment, and look like it.
      await page.locator('[aria-label="Your answer"] button:disabled').first().waitFor({ state: 'detached' })
      await page.evaluate(() => document.fonts.ready)
      const file = path.join(folder, `web-${name}-${shot}.png`)
      await page.screenshot({ path: file })
      if (shrinks) execFileSync('pngquant', ['--force', '--strip', '--ext', '.png', '96', '--', file])
      process.stdout.write(`${path.relative('', file)} ${Math.round(statSync(file).size / 1024)} KiB\n`)
    }
    await visit.close()
  }
} finally {
  await runs?.end()
  await stage.close()
}
