import type { Browsers } from '@farhand/e2e/web/browsers'
import { onPhone, type Page, paintedMs, slowDown, untilGiven } from '../load/slow-page.ts'
import type { TalkedRun } from '../load/talked-run.ts'
import { withTalkedRun } from '../load/with-talked-run.ts'
import { interleave } from '../rounds.ts'
import type { Goal, Row } from '../row.ts'

const events = 5_000
const metric = 'ms until its end is seen'
const cold = 'a browser that has never been here'
const warm = 'loaded anew'
const floor = 'a bare page that reads the log'

/** All that has to be done by any page that shows the end of a log. */
const barePage = (log: string) => `<!doctype html><div role="log"></div><script type="module">
  const text = await (await fetch(${JSON.stringify(log)})).text()
  const events = text.trimEnd().split('\\n').map((line) => JSON.parse(line))
  const row = document.createElement('p')
  row.dataset.event = events.at(-1).id
  row.textContent = events.at(-1).notification.method
  document.querySelector('[role=log]').append(row)
</script>`

const bare = (browsers: Browsers, run: TalkedRun) =>
  onPhone(browsers, async (visit) => {
    await visit.context.route('**/bare', (route) =>
      route.fulfill({ contentType: 'text/html', body: barePage(run.log) }),
    )
    await slowDown(visit)
    return await paintedMs(visit.page, '/bare', run.lastId)
  })

const app = (browsers: Browsers, run: TalkedRun) =>
  onPhone(browsers, async (visit) => {
    await slowDown(visit)
    const address = `/runs/${run.id}`
    const first = await paintedMs(visit.page, address, run.lastId)
    await untilKept(visit.page, run)
    const again = await paintedMs(visit.page, address, run.lastId)
    return { first, again }
  })

/** Until the browser has all that it keeps: the app itself, and the log. */
async function untilKept(page: Page, run: TalkedRun): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null))
  await untilGiven(page, hasKept, { run: run.id, lastId: run.lastId })
}

/** Runs in the page. */
async function hasKept({ run, lastId }: { run: string; lastId: number }): Promise<true | null> {
  const [about] = await indexedDB.databases()
  const opened = indexedDB.open(about?.name ?? '')
  await new Promise((resolve) => opened.addEventListener('success', resolve))
  const asked = opened.result.transaction('runs').objectStore('runs').get(run)
  await new Promise((resolve) => asked.addEventListener('success', resolve))
  opened.result.close()
  return asked.result?.lastId >= lastId ? true : null
}

const goalsOf = (hub: string): Goal[] => [
  { text: `${hub}: under 1.5 s`, metric, hub, atMost: 1_500, unit: 'ms' },
  {
    text: `${hub}: at most 3x a bare page that reads the log`,
    aim: true,
    metric,
    hub,
    over: floor,
    atMost: 3,
  },
]

export const webPaint: Row = {
  name: 'web-paint',
  title: 'First useful paint of a run with 5,000 events, CPU 4x slower',
  peers: [],
  async run(bench) {
    return await withTalkedRun(bench, events, async (browsers, run) => {
      let again: number | null = null
      const figures = await interleave(
        [
          { name: floor, measure: async () => ({ [metric]: await bare(browsers, run) }) },
          {
            name: cold,
            async measure() {
              again = null
              const ms = await app(browsers, run)
              again = ms.again
              return { [metric]: ms.first }
            },
          },
          {
            name: warm,
            async measure() {
              if (again === null) throw new Error('there was nothing to load anew')
              return { [metric]: again }
            },
          },
        ],
        bench.quick ? 2 : 5,
        bench.say,
      )
      return {
        figures,
        goals: [...goalsOf(cold), ...goalsOf(warm)],
        notes: [
          `A run of ${run.lastId.toLocaleString('en-US')} events: turns of an agent that plans, thinks, edits with diffs, runs commands and talks. Chromium in the size of a phone, its pages slowed down four times by its own means; the time runs from when the page is asked for until the last thing that happened is painted in sight. ${cold[0]!.toUpperCase()}${cold.slice(1)} has a cookie and nothing else; loaded anew, it has the app and the log from before, and asks the hub only for what is new. The bare page fetches the whole log, parses its lines and shows one word.`,
        ],
      }
    })
  },
}
