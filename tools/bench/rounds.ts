import type { Contender, Figures, Sample } from './row.ts'

export type Entry = Contender | { name: string; peer?: true; missing: string }

/**
 * Measures A B C A B C ...: what the machine does meanwhile hits all contenders alike.
 * A contender that fails is left out from then on, and its figures say why. Warm-up rounds are not counted.
 */
export async function interleave(
  entries: readonly Entry[],
  rounds: number,
  say: (text: string) => void,
  warmUps = 1,
): Promise<Figures[]> {
  const figures = entries.map(
    (entry): Figures => ({
      name: entry.name,
      ...(entry.peer && { peer: true }),
      samples: [],
      ...('missing' in entry && { missing: entry.missing }),
    }),
  )
  for (let round = 1 - warmUps; round <= rounds; round++) {
    const turn = round < 1 ? 'warm-up' : `round ${round}/${rounds}`
    for (const [index, entry] of entries.entries()) {
      const figure = figures[index]!
      if ('missing' in entry || figure.missing !== undefined) continue
      try {
        const sample = await entry.measure()
        if (round >= 1) figure.samples.push(sample)
        say(`${turn}  ${entry.name}  ${inWords(sample)}`)
      } catch (error) {
        figure.missing = `failed: ${error instanceof Error ? error.message : String(error)}`
        figure.samples = []
        say(`${turn}  ${entry.name}  ${figure.missing}`)
      }
    }
  }
  return figures
}

function inWords(sample: Sample): string {
  return Object.entries(sample)
    .map(([metric, value]) => `${number(value)} ${metric}`)
    .join(', ')
}

/** Three digits that matter, thousands apart. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return 'n/a'
  const size = Math.abs(value)
  return value.toLocaleString('en-US', {
    maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3,
  })
}
