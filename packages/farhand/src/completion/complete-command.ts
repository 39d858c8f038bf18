import type { CommandContext } from '../context/command-context.ts'
import { lineInWords } from '../printing/path-in-words.ts'
import type { CommandTree } from './command-tree.ts'
import { type Completions, completions, type Known } from './completions.ts'

type Kind = Parameters<Known>[0]

/** Prints what the last of these words could become, a line each, and a last one if the shell has to add names of files. */
export async function completeCommand(
  tree: CommandTree,
  words: readonly string[],
  place: string,
  context: Pick<CommandContext, 'env' | 'platform' | 'cwd' | 'self' | 'out'>,
): Promise<void> {
  context.out(asLines(await found(tree, words, place, context).catch(() => nothing)))
}

// An agents.json that is wrong, say: whoever presses Tab cannot be told, and the command itself tells it.
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
  // Only now: most of the time nobody asks for it, and it takes longer to load than all the rest.
  const { localCandidates } = await import('./local-candidates.ts')
  return completions(tree, words, localCandidates(place, context))
}

function asLines({ candidates, also }: Completions): string {
  const lines = candidates.map(
    ({ word, says }) => `${lineInWords(word)}\t${lineInWords(says).slice(0, 80)}\n`,
  )
  return lines.join('') + (also ? `:${also}\n` : '')
}
