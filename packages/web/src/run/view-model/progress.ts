import type { Item, PlanStep, Story } from '../../story/story.ts'
import { markInWords } from './mark-in-words.ts'
import type { RunStanding } from './run-standing.ts'
import { toolKind, toolTitle } from './tool-in-words.ts'

/** How far the work is that goes on just now. */
export type Progress = {
  /** What is being done, in a line. */
  now: string
  since: string | null
  steps: readonly PlanStep[]
  done: number
  /** Nothing goes on until a person has answered. */
  isAsking: boolean
}

/** How far the open turn is; null if nothing is under way. */
export function progress(story: Pick<Story, 'items'>, standing: RunStanding): Progress | null {
  if (!standing.isWorking) return null
  const turn = itemsOfTurn(story.items)
  const plan = turn.findLast((item) => item.kind === 'plan')
  const steps = plan?.kind === 'plan' ? plan.steps : []
  const isAsking = standing.tone === 'warn'
  return {
    now: isAsking ? 'Waiting for your answer' : (doing(turn, steps) ?? standing.words),
    since: standing.since,
    steps,
    done: steps.filter(({ status }) => status === 'completed').length,
    isAsking,
  }
}

/** Which step the work is at, counted from one: the one that runs, or else the one after all that is done. */
export function stepNow(steps: readonly Pick<PlanStep, 'status'>[]): number {
  const running = steps.findIndex(({ status }) => status === 'in_progress')
  if (running !== -1) return running + 1
  return Math.min(steps.filter(({ status }) => status === 'completed').length + 1, steps.length)
}

/** The last turn's items: a plan of the one before is of no concern to this one. */
function itemsOfTurn(items: readonly Item[]): readonly Item[] {
  return items.slice(items.findLastIndex(({ kind }) => kind === 'turn-end') + 1)
}

function doing(items: readonly Item[], steps: readonly PlanStep[]): string | null {
  const last = items.findLast(({ kind }) => kind !== 'message' && kind !== 'files')
  if (last?.kind === 'notice' && last.until !== null) return 'Waiting for a rate limit to end'
  if (last?.kind === 'tool' && last.endedAt === null)
    return `${toolKind(last.what).words}: ${toolTitle(last)}`
  if (last?.kind === 'mark' && last.mark.is === 'phase' && last.mark.state === 'running')
    return markInWords(last.mark).words
  const step = steps.find(({ status }) => status === 'in_progress')
  if (step) return step.text
  if (last?.kind === 'thought' && last.isOpen) return 'Thinking'
  if (last?.kind === 'words' && last.isOpen) return 'Writing'
  return null
}
