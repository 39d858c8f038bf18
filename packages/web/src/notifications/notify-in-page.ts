import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunNotificationKind } from '@farhand/protocol/schemas/push'
import { shortened } from '@farhand/protocol/text/plain-text'
import { go, whenMoved } from '../navigation/location.ts'
import { routeOf } from '../navigation/route.ts'
import type { RunListSource } from '../run-list/run-list-source.ts'
import { dismiss, toast } from '../ui/toasts.ts'
import { newsOfRun } from './news-of-run.ts'

const words: Readonly<Record<RunNotificationKind, string>> = {
  'needs-you': 'Needs you',
  done: 'Done',
  failed: 'Failed',
}

/** A whole prompt, as some titles are, would cover a third of a phone. */
const mostTitle = 60

/** Says in passing what happens in runs that are not the one on the page; until the answer is called. */
export function notifyInPage(source: Pick<RunListSource, 'now' | 'subscribe'>): () => void {
  let known = new Map<string, ListedRun>()
  const told = new Map<string, number>()
  const takeBack = (run: string) => {
    const id = told.get(run)
    if (id !== undefined) dismiss(id)
    told.delete(run)
  }
  const look = () => {
    const { runs } = source.now()
    const before = known
    // Runs that are not listed for a while (a search) are remembered: they are no news when they come back.
    known = new Map([...before, ...runs.map((run) => [run.id, run] as const)])
    if (document.visibilityState !== 'visible') return
    for (const run of runs) {
      const was = before.get(run.id)
      const news = was && was !== run ? newsOfRun(was, run) : null
      if (news === null || isOpen(run.id)) continue
      // That it was done is not true any more when it needs somebody.
      takeBack(run.id)
      told.set(run.id, tell(run, news))
    }
  }
  look()
  const unsubscribe = source.subscribe(look)
  // Whoever has come to the run by another way need not be told of it any more.
  const unlisten = whenMoved(() => {
    for (const run of [...told.keys()]) if (isOpen(run)) takeBack(run)
  })
  return () => {
    unsubscribe()
    unlisten()
  }
}

const isOpen = (run: string) => {
  const route = routeOf(location.pathname)
  return route.is === 'run' && route.run === run
}

function tell(run: ListedRun, news: RunNotificationKind): number {
  const open = () => go({ is: 'run', run: run.id, part: 'talk', event: null })
  return toast(`${words[news]}: ${shortened(run.title, mostTitle)}`, {
    tone: news === 'failed' ? 'bad' : 'plain',
    open,
  })
}
