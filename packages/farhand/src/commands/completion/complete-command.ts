import { lineInWords } from '@farhand/device/wording/path-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import type { CommandTree } from './command-tree.ts'
import { type Completions, completions, type Known } from './completions.ts'

type Kind = Parameters<Known>[0]

/**
 * Prints the completions of the last word, one per line. A last line `:files` or `:folders` asks the shell to add file
 * names.
 */
export async function completeCommand(
  tree: CommandTree,
  words: readonly string[],
  place: string,
  context: Pick<CommandContext, 'env' | 'platform' | 'cwd' | 'self' | 'out'>,
): Promise<void> {
  context.out(asLines(await found(tree, words, place, context).catch(() => nothing)))
}

// With a broken agents.json, for example: Tab can show no error, and the command itself will.
const nothing: Completions = { candidates: [], also: null }

async function found(
  tree: CommandTree,
  words: readonly string[],
  place: string,
  context: Parameters<typeof completeCommand>[3],
): Promise<Completions> {
  const asked = new Set<Kind>()
  const first = completions(tree, words, (kind) => {
    asked.add(kind)
    return []
  })
  if (asked.size === 0) return first
  // Loaded only when needed: it takes longer to load than everything else.
  const { localCandidates } = await import('./local-candidates.ts')
  return completions(tree, words, localCandidates(place, context))
}

function asLines({ candidates, also }: Completions): string {
  const lines = candidates.map(
    ({ word, says }) => `${lineInWords(word)}\t${lineInWords(says).slice(0, 80)}\n`,
  )
  return lines.join('') + (also ? `:${also}\n` : '')
}
