import type { Visit } from '@farhand/e2e/web/visit'
import type { Scenes } from './scene.ts'

type Listed = { id: string; sandbox: string; now: Record<string, unknown> | null }

/**
 * Has the list tell of runs as they are after a day: all of them were made in the last minute, by runners that no
 * sandbox has. Those that were looked at in that day are so here.
 */
export async function spreadTimes(page: Visit['page'], runs: ReadonlyMap<string, Scenes>): Promise<void> {
  await page.route(/\/api\/runs(\?|$)/, async (route) => {
    const answer = await route.fetch()
    const { items, ...rest } = (await answer.json()) as { items: Listed[] }
    for (const run of items) {
      const scenes = runs.get(run.id)
      if (!run.now || !scenes) continue
      run.sandbox = 'auto'
      run.now.lastActivityAt = minutesAgo(scenes.minutesAgo)
      if (run.now.turnSince) run.now.turnSince = minutesAgo(scenes.minutesAgo + 3)
      if (scenes.ends === 'rests') run.now.status = 'asleep'
    }
    await route.fulfill({ response: answer, json: { items, ...rest } })
  })
  await page.route(/\/api\/agents$/, async (route) => {
    const answer = await route.fetch()
    const here = (await answer.json()) as { agents: { id: string; state: string; missing: unknown[] }[] }
    for (const agent of here.agents)
      if (installed.has(agent.id)) Object.assign(agent, { state: 'usable', missing: [] })
    await route.fulfill({ response: answer, json: here })
  })
  const seen = [...runs].filter(([, { minutesAgo }]) => minutesAgo > 30).map(([run]) => run)
  await page.addInitScript((ids) => {
    const mark = { event: 1_000_000, activeAt: new Date().toISOString() }
    localStorage.setItem('farhand.seen', JSON.stringify(Object.fromEntries(ids.map((id) => [id, mark]))))
  }, seen)
}

/** What most people have; the machine that makes pictures has none of them. */
const installed = new Set(['claude', 'codex', 'gemini', 'opencode'])

const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000).toISOString()
