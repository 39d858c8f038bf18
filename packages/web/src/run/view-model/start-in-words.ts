import type { MarkItem } from '../../story/story.ts'
import { durationBetween } from '../../time/duration-in-words.ts'
import { markInWords } from './mark-in-words.ts'

/** The current step of a start; after the start, the agent and how long it took. */
export function startInWords(steps: readonly MarkItem[]): string {
  const underWay = steps.find(({ mark }) => mark.is === 'phase' && mark.state === 'running')
  if (underWay) return markInWords(underWay.mark).words
  const [first, last] = [steps[0]!, steps.at(-1)!]
  const agent = steps.findLast(({ mark }) => mark.is === 'agent') ?? last
  const took =
    Date.parse(last.at) - Date.parse(first.at) >= 1000 ? ` after ${durationBetween(first.at, last.at)}` : ''
  return `${markInWords(agent.mark).words}${took}`
}
