import type { Command } from 'commander'
import { lineInWords } from '../path-in-words.ts'
import { statePlace } from '../state-place.ts'
import type { World } from '../world.ts'
import { commandTree } from './command-tree.ts'
import { type Completions, completions } from './completions.ts'
import { knownHere } from './known-here.ts'
import { type Shell, shellScript } from './shell-scripts.ts'

/** Prints the script for a shell. The command is called by its name: an alias, or a path, is nothing a shell can complete. */
export function completionCommand(shell: string, flags: { json?: boolean }, world: World): void {
  const script = shellScript(shell as Shell, nameOf(world))
  world.out(flags.json ? `${JSON.stringify({ shell, script })}\n` : script)
}

const nameOf = ({ called }: World) => (/^[\w-]+$/.test(called.farhand) ? called.farhand : 'farhand')

/** Prints what the last of these words could become, a line each, and a last one if the shell has to add names of files. */
export function completeCommand(
  farhand: Command,
  words: readonly string[],
  flags: { state?: string },
  world: World,
): void {
  const known = knownHere(statePlace(flags.state, world), world)
  world.out(asLines(answerOf(() => completions(commandTree(farhand), words, known))))
}

function answerOf(find: () => Completions): Completions {
  try {
    return find()
  } catch {
    // An agents.json that is wrong, say: whoever presses Tab cannot be told, and the command itself tells it.
    return { candidates: [], also: null }
  }
}

function asLines({ candidates, also }: Completions): string {
  const lines = candidates.map(
    ({ word, says }) => `${lineInWords(word)}\t${lineInWords(says).slice(0, 80)}\n`,
  )
  return lines.join('') + (also ? `:${also}\n` : '')
}
