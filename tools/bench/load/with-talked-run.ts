import { join } from 'node:path'
import { Browsers } from '@farhand/e2e/web/browsers'
import installChromium from '../../install/install-chromium.ts'
import { startHub } from '../peers/hub.ts'
import type { Bench } from '../row.ts'
import { TalkedRun } from './talked-run.ts'

/**
 * The result of `use` with a hub that has a run of so many events, and with browsers; the app is built first where it is not,
 * so that the build is not measured.
 */
export async function withTalkedRun<T>(
  bench: Bench,
  events: number,
  use: (browsers: Browsers, run: TalkedRun) => Promise<T>,
): Promise<T> {
  const hub = await startHub(bench, join(bench.folder, 'data'))
  await installChromium()
  const browsers = await Browsers.start({ url: hub.url, token: hub.token })
  try {
    const run = await TalkedRun.begin(hub)
    await run.fill(events)
    return await use(browsers, run)
  } finally {
    await browsers.close()
  }
}
