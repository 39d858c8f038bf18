import type { FileDiff } from '@farhand/device/diff/file-diff'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { shownText } from '../../terminal/printing/shown-text.ts'

const modes: Record<string, string> = {
  '100644': 'a plain file',
  '100755': 'a file to run',
  '120000': 'a link',
}

export type Sides = { before: string; after: string }

/** A diff that `git apply` understands, for text files. Terminal control characters are left out of its lines. */
export function diffInWords(diff: FileDiff, sides: Sides, { color }: Pick<CommandContext, 'color'>): string {
  const { bold, cyan, green, red, dim } = paint(color)
  const name = pathInWords(diff.path)
  const head = [
    diff.is === 'added' ? '--- /dev/null' : `--- ${sides.before}/${name}`,
    diff.is === 'deleted' ? '+++ /dev/null' : `+++ ${sides.after}/${name}`,
  ]
  const lines = head.map((line) => bold(line))
  if (diff.mode) lines.push(dim(modeInWords(diff.mode)))
  if (diff.content.is === 'binary') lines.push(dim('not a text; the two differ'))
  if (diff.content.is === 'unread')
    lines.push(dim('too large to be shown, or no longer stored; the two differ'))
  if (diff.content.is === 'text')
    for (const { before, after, lines: all } of diff.content.hunks) {
      lines.push(cyan(`@@ -${before.from},${before.count} +${after.from},${after.count} @@`))
      for (const line of all) {
        const shown = shownText(line)
        lines.push(shown.startsWith('+') ? green(shown) : shown.startsWith('-') ? red(shown) : shown)
      }
    }
  return `${lines.join('\n')}\n`
}

const modeInWords = ({ before, after }: { before: string; after: string }) =>
  `was ${modes[before] ?? before}, is ${modes[after] ?? after}`

const barWidth = 24

/** One line per file: lines added, lines removed, and a bar that compares them. */
export function statInWords(diffs: readonly FileDiff[], { color }: Pick<CommandContext, 'color'>): string {
  const { green, red, dim } = paint(color)
  const names = diffs.map(({ path }) => pathInWords(path))
  const width = Math.min(48, Math.max(0, ...names.map((name) => name.length)))
  const most = Math.max(
    1,
    ...diffs.map(({ content }) => (content.is === 'text' ? content.added + content.removed : 0)),
  )
  const scale = Math.min(1, barWidth / most)
  const bar = (lines: number, sign: string) =>
    sign.repeat(lines === 0 ? 0 : Math.max(1, Math.round(lines * scale)))
  const lines = diffs.map(({ content, mode, is }, n) => {
    const name = names[n]!.length > width ? `…${names[n]!.slice(1 - width)}` : names[n]!.padEnd(width)
    if (content.is === 'text') {
      const { added, removed } = content
      const sums = `${`+${added}`.padStart(6)} ${`-${removed}`.padStart(6)}`
      return ` ${name} ${sums}  ${green(bar(added, '+'))}${red(bar(removed, '-'))}`.trimEnd()
    }
    const why =
      content.is === 'same' && mode ? modeInWords(mode) : content.is === 'binary' ? 'not a text' : 'large'
    return ` ${name} ${dim(is === 'changed' ? why : `${is}, ${why}`)}`
  })
  return lines.map((line) => `${line}\n`).join('')
}

export function sumInWords(diffs: readonly FileDiff[]): string {
  const texts = diffs.flatMap(({ content }) => (content.is === 'text' ? [content] : []))
  const sum = (key: 'added' | 'removed') => texts.reduce((all, one) => all + one[key], 0)
  return `${count(diffs.length, 'file')} ${diffs.length === 1 ? 'differs' : 'differ'}, +${sum('added')} -${sum('removed')}`
}
