import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import type { RunNotificationKind } from '@farhand/protocol/schemas/push'
import { shortened } from '@farhand/protocol/text/plain-text'
import { type Notified, newsBetween } from '@farhand/story/notifications/news-between'
import { runNotificationInWords } from '@farhand/story/wording/run-notification-in-words'
import { go, whenMoved } from '../navigation/location.ts'
import { routeOf } from '../navigation/route.ts'
import type { RunListSource } from '../run-list/run-list-source.ts'
import { dismiss, toast } from '../ui/toasts.ts'

/** Some titles are whole prompts, which would cover a third of a phone. */
const mostTitle = 60

/** Shows a toast for news of runs other than the open one, until the returned function is called. */
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
    // Remember runs that a search hides for a while: they are no news when they come back.
    known = new Map([...before, ...runs.map((run) => [run.id, run] as const)])
    if (document.visibilityState !== 'visible') return
    for (const run of runs) {
      const was = before.get(run.id)
      const news = was && was !== run ? newsOfRun(was, run) : null
      if (news === null || isOpen(run.id)) continue
      // Remove the old toast: "Done" is no longer true when the run needs the user.
      takeBack(run.id)
      told.set(run.id, tell(run, news))
    }
  }
  look()
  const unsubscribe = source.subscribe(look)
  // A run that the user has opened needs no toast any more.
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
  return toast(`${runNotificationInWords[news]}: ${shortened(run.title, mostTitle)}`, {
    tone: news === 'failed' ? 'bad' : 'plain',
    open,
  })
}

/** The notification for the change between two states of a listed run, or null: as the hub decides it for push (W49). */
export function newsOfRun(before: ListedRun, after: ListedRun): RunNotificationKind | null {
  const [was, is] = [before.now, after.now]
  if (!was || !is || after.isMuted || is.status === 'closed') return null
  const isOver = is.agentStatus === 'idle' && is.questions === 0
  return newsBetween(stateOf(was), isOver ? stateOf(is) : { ...stateOf(is), turns: 0 }, is.stopReason)
}

const stateOf = ({ questions, turns = 0, status }: RunNow): Notified => ({
  question: questions,
  turns,
  hasFailed: status === 'failed',
})
