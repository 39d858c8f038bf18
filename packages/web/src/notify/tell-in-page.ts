import type { ListedRun } from '@farhand/protocol/api'
import type { TellingKind } from '@farhand/protocol/push'
import { toast } from '../look/toasts.ts'
import type { RunListSource } from '../runs/run-list-source.ts'
import { go } from '../shell/location.ts'
import { routeOf } from '../shell/route.ts'
import { newsOfRun } from './news-of-run.ts'

const words: Readonly<Record<TellingKind, string>> = {
  'needs-you': 'Needs you',
  done: 'Done',
  failed: 'Failed',
}

/** Says in passing what happens in runs that are not the one on the page; until the answer is called. */
export function tellInPage(source: Pick<RunListSource, 'now' | 'subscribe'>): () => void {
  let known = new Map<string, ListedRun>()
  const look = () => {
    const { runs } = source.now()
    const before = known
    // Runs that are not listed for a while (a search) are remembered: they are no news when they come back.
    known = new Map([...before, ...runs.map((run) => [run.id, run] as const)])
    if (document.visibilityState !== 'visible') return
    for (const run of runs) {
      const was = before.get(run.id)
      const news = was && was !== run ? newsOfRun(was, run) : null
      if (news !== null && !isOpen(run.id)) tell(run, news)
    }
  }
  look()
  return source.subscribe(look)
}

const isOpen = (run: string) => {
  const route = routeOf(location.pathname)
  return route.is === 'run' && route.run === run
}

function tell(run: ListedRun, news: TellingKind): void {
  const open = () => go({ is: 'run', run: run.id, part: 'talk', event: null })
  toast(`${words[news]}: ${run.title}`, { tone: news === 'failed' ? 'bad' : 'plain', open })
}
