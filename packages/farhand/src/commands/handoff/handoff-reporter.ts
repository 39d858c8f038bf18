import type { CommandContext } from '../../context/command-context.ts'
import { shownText } from '../../terminal/printing/shown-text.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'

/** Prints the steps of a handoff. */
export type HandoffReporter = {
  step(step: string, words: string): void
  warn(words: string): void
  /** The agent's commits are here now, under these refs. */
  commits(names: readonly string[], words: string): void
  done(about: Record<string, unknown>, words: string): void
}

/** Prints each step once, however often it is tried: as a sentence, or as a line of JSON. */
export function handoffReporter(flags: { json?: unknown }, context: CommandContext): HandoffReporter {
  let last = ''
  const json = (told: Record<string, unknown>) => context.out(`${JSON.stringify(told)}\n`)
  return {
    step(step, words) {
      if (step === last) return
      last = step
      if (flags.json) json({ event: 'step', step })
      else context.note(`${wrapWords(words, context.columns)}\n`)
    },
    warn(words) {
      if (flags.json) json({ event: 'warning', message: words })
      else context.note(`${shownText(words)}\n`)
    },
    commits(names, words) {
      if (flags.json) json({ event: 'commits', names })
      else context.note(`${shownText(words)}\n`)
    },
    done(about, words) {
      if (flags.json) json({ event: 'handed-over', ...about })
      else context.out(`${wrapWords(words, context.columns)}\n`)
    },
  }
}
