import type { Browsers } from '@farhand/e2e/web/browsers'
import type { Visit } from '@farhand/e2e/web/visit'
import { inPage, onPhone, paintedMs, showBare, slowDown } from '../load/slow-page.ts'
import type { TalkedRun } from '../load/talked-run.ts'
import { withTalkedRun } from '../load/with-talked-run.ts'
import { interleave } from '../rounds.ts'
import type { Row, Sample } from '../row.ts'
import { sampleOf } from '../statistics.ts'

const events = 10_000
const turnsOfWheel = 80
const pxPerTurn = 400
const app = 'the app'
const floor = 'a bare page with 1,000 lines'

const barePage = `<!doctype html><style>#box { height: 90vh; overflow-y: auto }</style>
<div id="box" role="log">${'<p>A line of text that a user could read.</p>'.repeat(1_000)}</div>
<script>document.querySelector('#box').scrollTop = 1e6</script>`

type Timed = { frameTimes?: number[] | null }

/** Goes up a long way, and gives back how far apart frames were meanwhile. */
async function scrolled({ page }: Visit): Promise<Sample> {
  const { x, y, width, height } = (await page.getByRole('log').boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.evaluate(() => void Object.assign(globalThis, { frameTimes: [] }))
  for (let n = 0; n < turnsOfWheel; n++) await page.mouse.wheel(0, -pxPerTurn)
  const times = await page.evaluate(() => (globalThis as Timed).frameTimes ?? [])
  return sampleOf(times)
}

const inApp = (browsers: Browsers, run: TalkedRun) =>
  onPhone(browsers, async (visit) => {
    await visit.page.addInitScript({ path: inPage('time-frames') })
    await paintedMs(visit.page, `/runs/${run.id}`, run.lastId)
    await slowDown(visit)
    return await scrolled(visit)
  })

const inBare = (browsers: Browsers) =>
  onPhone(browsers, async (visit) => {
    await visit.page.addInitScript({ path: inPage('time-frames') })
    await showBare(visit, barePage)
    await slowDown(visit)
    return await scrolled(visit)
  })

export const webScroll: Row = {
  name: 'web-scroll',
  title: 'Frames while a user scrolls through a run with 10,000 events, CPU 4x slower',
  peers: [],
  async run(bench) {
    return await withTalkedRun(bench, events, async (browsers, run) => {
      const figures = await interleave(
        [
          { name: floor, measure: () => inBare(browsers) },
          { name: app, measure: () => inApp(browsers, run) },
        ],
        bench.quick ? 1 : 4,
        bench.say,
      )
      return {
        figures,
        goals: [
          { text: 'p95 of frames under 100 ms', metric: 'p95 ms', hub: app, atMost: 100, unit: 'ms' },
          { text: 'aim: p95 under 50 ms', aim: true, metric: 'p95 ms', hub: app, atMost: 50, unit: 'ms' },
        ],
        notes: [
          `From the end of the run up, ${turnsOfWheel} turns of a wheel of ${pxPerTurn} px each, the next as soon as the page has taken the one before. Nothing of what comes into sight has been shown before, so that all of it is made and measured on the way: text as markdown, diffs, what commands printed. A frame is 17 ms at best.`,
        ],
      }
    })
  },
}
