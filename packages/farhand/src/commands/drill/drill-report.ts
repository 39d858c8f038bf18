import type { Round } from '@farhand/device/drill/drill-round'
import { count } from '@farhand/device/wording/count'

type Paint = { bold: (text: string) => string; dim: (text: string) => string }

const ordinals = ['', '1st', '2nd', '3rd', '4th']
const stepNames = {
  noticed: 'noticed',
  sandbox: 'new sandbox',
  files: 'files back',
  agent: 'agent back',
  turn: 'turn over',
}

export function roundInWords(
  { round, victim, killed, afterFile, steps, how, tree, recalled }: Round,
  of: number,
  { bold, dim }: Paint,
): string {
  const what = `killed the ${victim} (${killed} ${killed === 1 ? 'process' : 'processes'}) after its ${ordinals[afterFile]} file`
  const times = Object.entries(stepNames).flatMap(([name, words]) => {
    const ms = steps[name as keyof typeof steps]
    return ms === null ? [] : [`${words} ${inWords(ms)}${name === 'agent' ? ` (${how})` : ''}`]
  })
  const known = recalled.map((word) => `"${word}"`).join(' and ')
  return [
    `${bold(`Round ${round} of ${of}`)}: ${what}`,
    dim(`  ${times.join(', ')}`),
    `  the same ${tree.files} files in sandbox, log and folder: ${tree.hash}; the agent still knows ${known}`,
    '',
  ].join('\n')
}

/** How long each step took, over all rounds. */
export function stepTimes(
  rounds: readonly Round[],
): { step: string; median: number; worst: number; times: number }[] {
  return Object.entries(stepNames).flatMap(([name, step]) => {
    const all = rounds.flatMap(({ steps }) => steps[name as keyof typeof steps] ?? []).sort((a, b) => a - b)
    if (all.length === 0) return []
    return [{ step, median: all[Math.floor(all.length / 2)]!, worst: all.at(-1)!, times: all.length }]
  })
}

export function summaryInWords(rounds: readonly Round[]): string {
  const times = stepTimes(rounds).map(
    ({ step, median, worst, times }) =>
      `  ${step.padEnd(12)} ${inWords(median).padStart(8)} median, ${inWords(worst).padStart(8)} worst, of ${times}`,
  )
  return [
    `${count(rounds.length, 'identical tree')}, ${count(rounds.length, 'continued conversation')}. From the kill on:`,
    ...times,
    '',
  ].join('\n')
}

const inWords = (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)
