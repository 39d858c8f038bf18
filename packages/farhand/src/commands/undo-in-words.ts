import type { LeftAlone, PathChange } from '@farhand/sync/history/step-to-undo'
import type { CommandContext } from '../context/command-context.ts'
import { count } from '../printing/count.ts'
import { paint } from '../printing/paint.ts'
import { pathInWords } from '../printing/path-in-words.ts'

const mostShown = 20

/** What becomes of files that are put back, each kind with its first names. */
export function backInWords(back: readonly PathChange[], { color }: Pick<CommandContext, 'color'>): string {
  const { dim } = paint(color)
  const kinds = byDeed(back)
  const most = Math.ceil(mostShown / kinds.length)
  const shown = kinds.map(([deed, turned]) => {
    const some = turned.slice(0, most).map(({ path }) => `  ${deed.padEnd(11)} ${pathInWords(path)}\n`)
    const rest = turned.length - some.length
    return some.join('') + (rest > 0 ? dim(`  ${deed.padEnd(11)} ${rest.toLocaleString('en')} more\n`) : '')
  })
  return shown.join('')
}

const deedOf = ({ before, after }: PathChange) => (!before ? 'delete' : after ? 'change back' : 'bring back')

const deeds = ['bring back', 'change back', 'delete'] as const

const byDeed = (back: readonly PathChange[]) =>
  deeds
    .map((deed) => [deed, back.filter((turned) => deedOf(turned) === deed)] as const)
    .filter(([, turned]) => turned.length > 0)

const done = { delete: 'deleted', 'change back': 'changed back', 'bring back': 'brought back' }

/** What was done to how many files. */
export function deedsInWords(back: readonly PathChange[]): string {
  const kinds = byDeed(back)
  if (kinds.length === 0) return 'Nothing was changed'
  return kinds
    .map(
      ([deed, { length }], n) =>
        `${n === 0 ? count(length, 'file') : length.toLocaleString('en')} ${done[deed]}`,
    )
    .join(', ')
}

const leftWhy: Record<LeftAlone['why'], string> = {
  'changed-since': 'changed again since',
  'unknown-before': 'what it was before is not in the log',
  expired: 'what it was before is no longer stored',
}

/** The files that are not touched, and why. */
export const leftInWords = (left: readonly LeftAlone[]) =>
  left.map(({ path, why }) => `  left alone  ${pathInWords(path)}  (${leftWhy[why]})\n`).join('')
