import type { Item, PlanStep, Story } from '@farhand/story/items/story'
import { markInWords } from '@farhand/story/wording/mark-in-words'
import { toolKindInWords, toolTitle } from '@farhand/story/wording/tool-in-words'
import type { RunStanding } from './run-standing.ts'

/** The progress of the running turn. */
export type Progress = {
  /** What the agent is doing, in one line. */
  now: string
  since: string | null
  steps: readonly PlanStep[]
  done: number
  /** The agent waits for an answer of the user. */
  isAsking: boolean
}

/** The progress of the open turn; null if the agent is not working. */
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

/** The number of the current step, counted from one: the running one, or else the first after all completed ones. */
export function stepNow(steps: readonly Pick<PlanStep, 'status'>[]): number {
  const running = steps.findIndex(({ status }) => status === 'in_progress')
  if (running !== -1) return running + 1
  return Math.min(steps.filter(({ status }) => status === 'completed').length + 1, steps.length)
}

/** The items of the last turn, so that an old plan is not used. */
function itemsOfTurn(items: readonly Item[]): readonly Item[] {
  return items.slice(items.findLastIndex(({ kind }) => kind === 'turn-end') + 1)
}

function doing(items: readonly Item[], steps: readonly PlanStep[]): string | null {
  const last = items.findLast(({ kind }) => kind !== 'message' && kind !== 'files')
  if (last?.kind === 'notice' && last.until !== null) return 'Waiting for a rate limit to end'
  if (last?.kind === 'tool' && last.endedAt === null)
    return `${toolKindInWords(last.what)}: ${toolTitle(last)}`
  if (last?.kind === 'mark' && last.mark.is === 'phase' && last.mark.state === 'running')
    return markInWords(last.mark).words
  const step = steps.find(({ status }) => status === 'in_progress')
  if (step) return step.text
  if (last?.kind === 'thought' && last.isOpen) return 'Thinking'
  if (last?.kind === 'words' && last.isOpen) return 'Writing'
  return null
}
