import { pathInWords } from '@farhand/device/wording/path-in-words'
import { lineDiff } from '@farhand/kit/line-diff'
import { z } from 'zod'
import { shownText } from '../printing/shown-text.ts'
import { type Line, span } from './styled-line.ts'
import { cutToWidth } from './text-width.ts'

const Diff = z.looseObject({
  type: z.literal('diff'),
  path: z.string(),
  oldText: z.string().nullish(),
  newText: z.string(),
})

/** One line of a diff, and its line number. */
type DiffLine = { is: 'same' | 'added' | 'removed' | 'gap'; text: string; number: number | null }

const mostShown = 16
const context = 2
const signs = { same: ' ', added: '+', removed: '-', gap: '⋮' } as const

/** The diffs in a tool call's content, at most `most` lines each. */
export function diffInLines(content: readonly unknown[], width: number, most = mostShown): Line[] {
  return content.flatMap((one) => {
    const diff = Diff.safeParse(one).data
    return diff ? oneDiff(diff, width, most) : []
  })
}

function oneDiff({ path, oldText, newText }: z.infer<typeof Diff>, width: number, most: number): Line[] {
  const lines = numbered(oldText ?? '', newText)
  const count = (is: DiffLine['is']) => lines.filter((one) => one.is === is).length
  if (lines.length === 0) return []
  const digits = Math.max(...lines.map(({ number }) => String(number ?? '').length))
  const name = cutToWidth(pathInWords(path.split(/[\\/]/).at(-1) ?? path), Math.max(8, width - 20))
  const shown = lines.slice(0, most).map(({ is, text, number }): Line => {
    const begin = `  ${String(number ?? '').padStart(digits)} `
    const words = shownText(text).replaceAll('\t', '    ')
    const body = `${signs[is]} ${words}`
    return [span(begin, 'dim'), span(cutToWidth(body, width - begin.length), styleOf(is))]
  })
  const more = lines.length - shown.length
  return [
    [
      span(`  ${name} `, 'dim'),
      span(`+${count('added')}`, 'added'),
      span(' '),
      span(`-${count('removed')}`, 'removed'),
    ],
    ...shown,
    ...(more > 0 ? [[span(`  … ${more} more ${more === 1 ? 'line' : 'lines'}`, 'dim')]] : []),
  ]
}

const styleOf = (is: DiffLine['is']) => (is === 'added' || is === 'removed' ? is : 'dim')

function numbered(before: string, after: string): DiffLine[] {
  let [old, now] = [1, 1]
  const all = lineDiff(linesOf(before), linesOf(after)).flatMap(({ is, lines }) =>
    lines.map((text): DiffLine => {
      const number = is === 'removed' ? old : now
      if (is !== 'added') old += 1
      if (is !== 'removed') now += 1
      return { is, text, number }
    }),
  )
  return withoutFar(all)
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** Drops unchanged lines that are not next to a change. */
function withoutFar(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map(() => false)
  for (const [at, { is }] of lines.entries())
    if (is !== 'same') isNear.fill(true, Math.max(0, at - context), at + context + 1)
  const kept: DiffLine[] = []
  for (const [at, one] of lines.entries()) {
    if (isNear[at]) kept.push(one)
    else if (kept.length > 0 && kept.at(-1)?.is !== 'gap') kept.push({ is: 'gap', text: '', number: null })
  }
  if (kept.at(-1)?.is === 'gap') kept.pop()
  return kept
}
