import type { CardStep, DelegatedTask, TaskSnapshot } from '@farhand/protocol/delegated/delegated-tasks'
import { elapsedMs, leftMs, percentOf } from '@farhand/story/delegated/task-card'
import { durationInWords } from '@farhand/story/wording/duration-in-words'
import type { OutputContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { firstLine, shownText } from '../../terminal/printing/shown-text.ts'

const barWidth = 24
const signs: Record<CardStep['state'], string> = { done: '✓', running: '▸', pending: '·', failed: '✗' }
const words: Record<CardStep['state'], string> = {
  done: '',
  running: ' (running)',
  pending: '',
  failed: ' (failed)',
}

/** The card of a delegated task, line by line: its steps, how much is done, how long it takes, what it waits for or has found. */
export function cardInLines(
  task: TaskSnapshot,
  { color, columns }: Pick<OutputContext, 'color' | 'columns'>,
  now: number,
): string[] {
  const { bold, dim, green, red, yellow } = paint(color)
  const room = Math.min(columns, 100) - 6
  const step = ({ text, state }: CardStep) => {
    const line = `${signs[state]} ${firstLine(text, room)}${words[state]}`
    return `  ${state === 'done' ? green(line) : state === 'failed' ? red(line) : state === 'running' ? bold(line) : dim(line)}`
  }
  const asked = task.input_needed.map(({ prompt, options }) => {
    const either = options.length > 0 ? ` (${options.map((one) => firstLine(one, 60)).join(' / ')})` : ''
    return `  ${yellow(`? ${firstLine(prompt, 300)}${either}`)}`
  })
  const result = task.result_summary === null ? [] : shownText(task.result_summary).trimEnd().split('\n')
  return [
    `${bold(`Delegated: ${firstLine(task.task, room)}`)}`,
    ...task.steps.map(step),
    `  ${standingInLine(task, now)}`,
    ...asked,
    ...(task.status === 'working' || result.length === 0 ? [] : ['', ...result.map((line) => `  ${line}`)]),
  ]
}

function standingInLine(task: TaskSnapshot, now: number): string {
  const times = { startedAt: task.started_at, endedAt: task.completed_at }
  const percent = percentOf(task.progress)
  const done = Math.round(((percent ?? 0) * barWidth) / 100)
  const bar = percent === null ? '' : `${'█'.repeat(done)}${'░'.repeat(barWidth - done)} ${percent} %  `
  const took = task.started_at === null ? '' : ` · ${durationInWords(elapsedMs(times, now))}`
  const left = leftMs({ status: task.status, progress: task.progress, ...times }, now)
  const estimate = left === null ? '' : `, about ${durationInWords(left)} left`
  return `${bar}${task.status}${took}${estimate}`
}

/** One line of the list of tasks. */
export function taskInLine(task: DelegatedTask, { columns }: Pick<OutputContext, 'columns'>): string {
  const head = `${task.task_id.slice(0, shownLetters)}  ${task.status.padEnd(9)}  ${task.created_at.slice(0, 16).replace('T', ' ')}  `
  return `${head}${firstLine(task.task, Math.max(20, Math.min(columns, 120) - head.length))}\n`
}

/** So many letters of an id are shown; as many as tell the tasks of a user apart. */
const shownLetters = 'acp_'.length + 8
