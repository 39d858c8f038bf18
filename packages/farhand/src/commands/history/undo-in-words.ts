import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { LeftAlone, PathChange } from '@farhand/sync/history/step-to-undo'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'

const mostShown = 20

/** What an undo does with files: for each kind the first names. */
export function backInWords(back: readonly PathChange[], { color }: Pick<CommandContext, 'color'>): string {
  const { dim } = paint(color)
  const groups = byKind(back)
  const most = Math.ceil(mostShown / groups.length)
  const shown = groups.map(([kind, turned]) => {
    const some = turned.slice(0, most).map(({ path }) => `  ${kind.padEnd(11)} ${pathInWords(path)}\n`)
    const rest = turned.length - some.length
    return some.join('') + (rest > 0 ? dim(`  ${kind.padEnd(11)} ${rest.toLocaleString('en')} more\n`) : '')
  })
  return shown.join('')
}

const kindOf = ({ before, after }: PathChange) => (!before ? 'delete' : after ? 'change back' : 'bring back')

const kinds = ['bring back', 'change back', 'delete'] as const

const byKind = (back: readonly PathChange[]) =>
  kinds
    .map((kind) => [kind, back.filter((turned) => kindOf(turned) === kind)] as const)
    .filter(([, turned]) => turned.length > 0)

const done = { delete: 'deleted', 'change back': 'changed back', 'bring back': 'brought back' }

/** How many files were put back in which way. */
export function undoneInWords(back: readonly PathChange[]): string {
  const groups = byKind(back)
  if (groups.length === 0) return 'Nothing was changed'
  return groups
    .map(
      ([kind, { length }], n) =>
        `${n === 0 ? count(length, 'file') : length.toLocaleString('en')} ${done[kind]}`,
    )
    .join(', ')
}

const leftWhy: Record<LeftAlone['why'], string> = {
  'changed-since': 'changed again since',
  'unknown-before': 'its old version is not in the log',
  expired: 'its old version is no longer stored',
}

/** The files that stay as they are, and why. */
export const leftInWords = (left: readonly LeftAlone[]) =>
  left.map(({ path, why }) => `  left alone  ${pathInWords(path)}  (${leftWhy[why]})\n`).join('')

/** The same changes for programs: each path goes from one entry to another. */
export const backAsJson = (back: readonly PathChange[]) =>
  back.map(({ path, before, after }) => ({ path, from: after, to: before }))
