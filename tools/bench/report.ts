import { judge, type Verdict } from './judge.ts'
import type { Machine } from './machine.ts'
import { number } from './rounds.ts'
import type { Figures, Outcome, Row } from './row.ts'
import { spread } from './statistics.ts'

export type Result = { row: Pick<Row, 'name' | 'title'>; outcome: Outcome; remark?: string }

/** The whole report as Markdown. */
export function report(results: readonly Result[], machine: Machine, command: string, date: string): string {
  const sections = results.map(({ row, outcome, remark }) => section(row.title, outcome, remark))
  return `# Benchmarks

Made by \`${command}\` on ${date}; the bench writes this file, and takes remarks from \`tools/bench/remarks.md\`. Peers
and floors are measured in the same run, in turns, on the same machine and disk, everything on loopback. A ratio is the
median over the rounds of (hub / other, within one round); in brackets the lowest and highest round.

${table(
  ['machine', ''],
  Object.entries(machine).map(([name, value]) => [name, value]),
)}

## Goals

${table(
  ['row', 'goal', 'measured', 'reached'],
  results.flatMap(({ row, outcome }) =>
    verdicts(outcome).map((verdict) => [row.title, verdict.goal, verdict.measured, word(verdict)]),
  ),
)}

${sections.join('\n')}`
}

function section(title: string, outcome: Outcome, remark: string | undefined): string {
  const metrics = [...new Set(outcome.figures.flatMap((figure) => Object.keys(figure.samples[0] ?? {})))]
  const figures = table(
    ['', ...metrics],
    outcome.figures.map((figure) => [figure.name, ...cells(figure, metrics)]),
  )
  const paragraphs = remark === undefined ? outcome.notes : [...outcome.notes, `**Remarks.** ${remark}`]
  return `## ${title}\n\n${figures}\n\n${paragraphs.map((text) => `${text}\n`).join('\n')}`
}

function cells(figure: Figures, metrics: readonly string[]): string[] {
  const why = figure.peer ? `skipped: ${figure.missing}` : `**${figure.missing}**`
  if (figure.missing !== undefined) return [why, ...metrics.slice(1).map(() => '')]
  return metrics.map((metric) => {
    if (figure.samples.every((sample) => sample[metric] === undefined)) return ''
    const { median, low, high } = spread(figure.samples.map((sample) => sample[metric]!))
    return figure.samples.length > 1
      ? `${number(median)} (${number(low)} to ${number(high)})`
      : number(median)
  })
}

export function verdicts(outcome: Outcome): Verdict[] {
  return outcome.goals.map((goal) => judge(goal, outcome.figures))
}

/** Whether every goal that is more than an aim was reached, and neither the hub nor a floor failed on the way. */
export function endedWell(outcome: Outcome): boolean {
  return (
    outcome.figures.every((figure) => figure.peer || figure.missing === undefined) &&
    verdicts(outcome).every((verdict) => verdict.aim || verdict.reached !== false)
  )
}

function word({ reached, aim }: Verdict): string {
  return reached === null ? 'skipped' : reached ? 'yes' : aim ? 'not yet' : '**no**'
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  // A message of a failed peer may hold anything.
  const clean = (cell: string) => cell.replaceAll('|', '/').replaceAll(/\s+/g, ' ')
  const line = (cells: readonly string[]) => `| ${cells.map(clean).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...lines.map(line)].join('\n')
}
