import type { Brought, Left, PullPlan } from '@farhand/device/pull/pull-plan'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'

const mostShown = 20

const whys: Record<Left['why'], string> = {
  'both-changed': 'changed here and in the run',
  'was-here': 'a different file is here',
  'deleted-there': 'changed here, deleted in the run',
  'only-here-changed': 'changed here only',
}

const changeOf = ({ from, to }: Brought) => (!to ? 'delete' : from ? 'change' : 'new')

/** What a pull will do, with the first names of each kind. */
export function planInWords(
  { brought, left }: PullPlan,
  { run, folder, skipped }: { run: string; folder: string; skipped: number },
  { color }: Pick<CommandContext, 'color'>,
): string {
  const { bold, dim, yellow } = paint(color)
  const lines = [bold(`${runInWords(run)} to ${folder}`)]
  for (const change of ['new', 'change', 'delete'] as const) {
    const those = brought.filter((one) => changeOf(one) === change)
    for (const { path } of those.slice(0, mostShown)) lines.push(`  ${change.padEnd(7)} ${pathInWords(path)}`)
    if (those.length > mostShown) lines.push(dim(`  ${change.padEnd(7)} ${more(those.length - mostShown)}`))
  }
  for (const { path, why } of left.slice(0, mostShown))
    lines.push(yellow(`  ${'left'.padEnd(7)} ${pathInWords(path)}`) + dim(`  ${whys[why]}`))
  if (left.length > mostShown) lines.push(dim(`  ${'left'.padEnd(7)} ${more(left.length - mostShown)}`))
  if (skipped > 0)
    lines.push(dim(`  ${count(skipped, 'file')} of the run not written: rules here leave them out`))
  return `${lines.join('\n')}\n`
}

const more = (rest: number) => `${rest.toLocaleString('en')} more`

/** One line: what a pull has done, or would do. */
export function pulledInWords(
  { brought, left, same }: PullPlan,
  failed: readonly { path: string }[],
  isDry = false,
): string {
  const isDone = ({ path }: Brought) => !failed.some((one) => one.path === path)
  const done = brought.filter(isDone)
  const kinds = [
    ['new', done.filter((one) => changeOf(one) === 'new').length],
    ['changed', done.filter((one) => changeOf(one) === 'change').length],
    ['deleted', done.filter((one) => changeOf(one) === 'delete').length],
  ] as const
  const told = kinds.flatMap(([word, many]) => (many > 0 ? [`${many.toLocaleString('en')} ${word}`] : []))
  const rest = [
    ...(same > 0 ? [`${same.toLocaleString('en')} as they were`] : []),
    ...(left.length > 0 ? [`${left.length.toLocaleString('en')} left alone`] : []),
  ]
  if (told.length === 0 && left.length === 0)
    return same > 0 ? `Everything is here already: ${count(same, 'file')}.\n` : 'The run has no files.\n'
  const sum = `${[...told, ...rest].join(', ')}.`
  return isDry ? `Nothing was written. It would be: ${sum}\n` : `${sum}\n`
}

/**
 * The error for conflicts that the user must decide, or for files that could not be written; null if there are none.
 */
export function conflictTrouble(
  conflicts: readonly Left[],
  failed: readonly { path: string; why: string }[],
  again: string,
  diff: string,
): Trouble | null {
  const [first] = failed
  if (first) {
    const others = failed.length > 1 ? ` and ${count(failed.length - 1, 'more file')}` : ''
    return new Trouble(
      'failed',
      `${pathInWords(first.path)}${others} could not be brought: ${first.why}.`,
      `\`${again}\` tries again; what was brought stays.`,
    )
  }
  if (conflicts.length === 0) return null
  const some = conflicts.slice(0, 3).map(({ path }) => pathInWords(path))
  const names = conflicts.length > 3 ? `${some.join(', ')}, ...` : some.join(', ')
  return new Trouble(
    'mustAsk',
    `${count(conflicts.length, 'file')} left as they are here, because the run has something else: ${names}.`,
    `\`${diff}\` shows how they differ. \`${again} <path> --force\` takes the run's; what was here stays in its history.`,
  )
}
