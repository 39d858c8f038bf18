import { readLog } from '@farhand/client/follow/read-log'
import type { ReachedRun } from '@farhand/device/find-run/reach-run'
import { RewindPoints } from '@farhand/device/history/rewind-points'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { count } from '@farhand/device/wording/count'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { firstLine } from '../../terminal/printing/shown-text.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import { whenInWords } from './when-in-words.ts'

// A small terminal has 80 columns.
const lineWidth = 79

/** Lists the points before each message of a run, to which it can be rewound. */
export async function listPoints(
  { hub, at }: ReachedRun,
  again: string,
  flags: { json?: unknown },
  context: CommandContext,
): Promise<void> {
  const points = new RewindPoints()
  for await (const event of readLog(hub, at, { signal: context.stop, patienceMs })) points.take(event)
  const all = points.all()
  if (flags.json) return context.out(all.map((point) => `${JSON.stringify(point)}\n`).join(''))
  if (all.length === 0) return context.out('No message of this run has been handled yet.\n')
  const { bold, dim } = paint(context.color)
  const now = new Date()
  const rows = all.map(({ to, at: time, files }) => [
    `--to ${to}`,
    whenInWords(time, now),
    files === 0 ? 'no file' : count(files, 'file'),
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  context.out(`${bold('The points before each message, and how many files its turn changed:')}\n`)
  for (const [n, { text, isPart }] of all.entries()) {
    const cells = rows[n]!.map((cell, column) => cell.padEnd(widths[column]!))
    const room = Math.max(20, lineWidth - 2 - widths.reduce((sum, width) => sum + width + 2, 0))
    const line = `  ${cells.join('  ')}  ${firstLine(text, room)}`
    context.out(`${isPart ? line : dim(`${line}  (rewound)`)}\n`)
  }
  const any = `Now is event ${points.newest}. Any event can be named: \`${again} --to <event>\``
  context.out(`${dim(wrapWords(any, context.columns))}\n`)
}
