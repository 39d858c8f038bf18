import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { WebStage } from '@farhand/e2e/web/web-stage'
import installChromium from '../web/install-chromium.ts'
import { madeUpRuns } from './made-up-runs.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))

await installChromium()
const stage = await WebStage.set()
try {
  const at = await madeUpRuns(stage)
  const run = `/runs/${at.run}`
  const screens = [
    { name: 'run', address: run, shows: 'Needs you' },
    { name: 'files', address: `${run}/files#file=src%2Ffields.ts`, shows: null },
    { name: 'new', address: '/new', shows: null },
    { name: 'runs', address: '/', shows: null },
  ]
  for (const device of ['desktop', 'phone'] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      const visit = await stage.browsers.visitor(device, { colorScheme })
      const { page } = visit
      for (const { name, address, shows } of screens) {
        // On a wide screen the list is beside everything else.
        if (name === 'runs' && device === 'desktop') continue
        await page.goto(address)
        if (shows) await page.getByText(shows).last().waitFor()
        await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
        const file = path.join(docs, `web-${name}-${device}-${colorScheme}.png`)
        await page.screenshot({ path: file })
        process.stdout.write(`${path.relative(process.cwd(), file)}\n`)
      }
      await visit.close()
    }
} finally {
  await stage.close()
}
