import { setTimeout as wait } from 'node:timers/promises'
import type { Browsers } from '@farhand/e2e/web/browsers'
import type { Visit } from '@farhand/e2e/web/visit'
import { turnOfAgent } from '../load/long-talk.ts'
import { inPage, onPhone, paintedMs, showBare, slowDown } from '../load/slow-page.ts'
import type { TalkedRun } from '../load/talked-run.ts'
import { withTalkedRun } from '../load/with-talked-run.ts'
import { interleave } from '../rounds.ts'
import type { Row, Sample } from '../row.ts'
import { sampleOf } from '../statistics.ts'

const events = 2_000
const perSecond = 50
const keys = 120
const betweenKeysMs = 90
const app = 'the app, while an agent talks'
const floor = 'a bare page with a field'

const barePage = '<!doctype html><textarea aria-label="Message" rows="4"></textarea>'

/** Types a text as a quick typist would, and gives back what each key took until it was seen. */
async function typed({ page }: Visit): Promise<Sample> {
  await page.getByRole('textbox').last().focus()
  for (let n = 0; n < keys; n++) {
    await page.keyboard.press(n % 6 === 5 ? 'Space' : 'abcdefgh'[n % 8]!)
    await wait(betweenKeysMs)
  }
  const times = await page.evaluate(() => (globalThis as { keyTimes?: number[] }).keyTimes ?? [])
  if (times.length < keys * 0.95) throw new Error(`only ${times.length} of ${keys} keys were seen`)
  return sampleOf(times)
}

/** Has the agent of a run go on talking until it is told to stop. */
function talkOn(run: TalkedRun) {
  let isOver = false
  const talk = async () => {
    await run.ask()
    for (let nth = 0; !isOver; nth++) {
      const started = performance.now()
      for (const [n, said] of turnOfAgent(`live-${run.lastId}-${nth}`).entries()) {
        const early = started + (n * 1000) / perSecond - performance.now()
        if (early > 0) await wait(early)
        if (isOver) return
        await run.say([said])
      }
    }
  }
  const talked = talk()
  return async () => {
    isOver = true
    await talked
  }
}

const inApp = (browsers: Browsers, run: TalkedRun) =>
  onPhone(browsers, async (visit) => {
    await visit.page.addInitScript({ path: inPage('time-keys') })
    await paintedMs(visit.page, `/runs/${run.id}`, run.lastId)
    const stop = talkOn(run)
    try {
      await slowDown(visit)
      return await typed(visit)
    } finally {
      await stop()
      await run.fill(run.lastId + 1)
    }
  })

const inBare = (browsers: Browsers) =>
  onPhone(browsers, async (visit) => {
    await visit.page.addInitScript({ path: inPage('time-keys') })
    await showBare(visit, barePage)
    await slowDown(visit)
    return await typed(visit)
  })

export const webInput: Row = {
  name: 'web-input',
  title: 'From a key to what is seen of it, while 50 events a second arrive, CPU 4x slower',
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
          { text: 'p95 under 100 ms', metric: 'p95 ms', hub: app, atMost: 100, unit: 'ms' },
          {
            text: 'p95 at most 3x a bare page with a field',
            aim: true,
            metric: 'p95 ms',
            hub: app,
            over: floor,
            atMost: 3,
          },
        ],
        notes: [
          `A run with ${events.toLocaleString('en-US')} events, shown at its end, whose agent goes on: ${perSecond} events a second of thoughts, plans, diffs, commands and text. Meanwhile ${keys} keys are typed, about ten a second, into the field below. Each is timed from when the browser got it until the page was painted next, which is a frame of 17 ms at best. The bare page has a field and nothing else, and nothing arrives there.`,
        ],
      }
    })
  },
}
