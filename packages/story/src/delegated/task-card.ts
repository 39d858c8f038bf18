import type { CardStep, TaskProgress } from '@farhand/protocol/delegated/delegated-tasks'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import type { Item, PlanStep, Story } from '../items/story.ts'
import { isRejected, toolKindInWords, toolTitle } from '../wording/tool-in-words.ts'

/** What a card shows of a delegated task: page, terminal and the task's own address render the same one. */
export type TaskCard = {
  status: Story['task']['status']
  steps: CardStep[]
  /** How many steps came before those that are shown. */
  earlier: number
  progress: TaskProgress
  startedAt: string | null
  endedAt: string | null
  /** The agent waits for an answer of the user. */
  isAsking: boolean
}

/** A longer plan fits no card. */
const mostSteps = 200
/** Without a plan, the tools that the agent used last are its steps. */
const mostTools = 6

export function taskCard(story: Pick<Story, 'items' | 'task' | 'view'>): TaskCard {
  const { status, startedAt, ended } = story.task
  // A run may go on after its task is over: that is no longer part of the task.
  const items = ended ? story.items.filter(({ id }) => id <= ended.seq) : story.items
  const plan = items.findLast((item) => item.kind === 'plan')
  const tools = items.filter(isTool)
  const isWorking = status === 'working'
  const steps =
    plan?.kind === 'plan'
      ? plan.steps.slice(0, mostSteps).map((step) => ofPlan(step, isWorking))
      : tools.slice(-mostTools).map((tool) => ofTool(tool, isWorking))
  return {
    status,
    steps,
    earlier: plan ? 0 : Math.max(0, tools.length - mostTools),
    progress: progressOf(plan?.kind === 'plan' ? plan.steps : [], isWorking ? tools.at(-1) : undefined),
    startedAt,
    endedAt: ended?.at ?? null,
    isAsking: isWorking && pendingQuestions(story.view).length > 0,
  }
}

type Tool = Extract<Item, { kind: 'tool' }>
const isTool = (item: Item): item is Tool => item.kind === 'tool' && item.report === null

/** The counts of a plan; without one, `current` is what the agent does now. */
export function progressOf(plan: readonly PlanStep[], tool?: Tool): TaskProgress {
  const step = plan.find(({ status }) => status === 'in_progress')
  const now = tool && tool.endedAt === null ? `${toolKindInWords(tool.what)}: ${toolTitle(tool)}` : null
  return {
    phase: plan.length > 0 ? 'plan' : 'work',
    completed: plan.filter(({ status }) => status === 'completed').length,
    total: plan.length,
    current: step?.text ?? now,
  }
}

const ofPlan = ({ text, status }: PlanStep, isWorking: boolean): CardStep => ({
  text,
  state: status === 'completed' ? 'done' : status === 'in_progress' && isWorking ? 'running' : 'pending',
})

const ofTool = (tool: Tool, isWorking: boolean): CardStep => ({
  text: toolTitle(tool),
  state:
    tool.status === 'failed' || isRejected(tool)
      ? 'failed'
      : tool.endedAt !== null
        ? 'done'
        : isWorking
          ? 'running'
          : 'pending',
})

/** How much of a plan is done, from 0 to 100; null without a plan. */
export const percentOf = ({ completed, total }: TaskProgress): number | null =>
  total === 0 ? null : Math.floor((100 * completed) / total)

/** How long the agent has worked on the task. */
export function elapsedMs(
  { startedAt, endedAt }: Pick<TaskCard, 'startedAt' | 'endedAt'>,
  now: number,
): number {
  if (startedAt === null) return 0
  return Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt))
}

/** How long the rest of a plan would take at the pace so far; null where that cannot be said. */
export function leftMs(card: Pick<TaskCard, 'status' | 'progress' | 'startedAt' | 'endedAt'>, now: number) {
  const { completed, total } = card.progress
  if (card.status !== 'working' || completed === 0 || completed >= total) return null
  return Math.round((elapsedMs(card, now) / completed) * (total - completed))
}
