/** What an agent is told in a drill. */
export type DrillPrompts = {
  /** Remember a word, then write files one after the other, with a moment between two. */
  work: (round: number, word: string, files: readonly DrillFile[]) => string
  /** Say which word it was. */
  recall: (round: number) => string
}

export type DrillFile = { path: string; text: string }

const key = (round: number) => `the word of round ${round}`

/** The rehearsal takes every sentence by its letters. */
const toRehearsal: DrillPrompts = {
  work: (round, word, files) =>
    [
      `remember ${key(round)} is ${word}`,
      ...files.flatMap(({ path, text }) => [`write ${path} with "${text}"`, 'run `sleep 0.2`']),
      `say round ${round} is done`,
    ].join('\n'),
  recall: (round) => `recall ${key(round)}`,
}

/** In one paragraph: agents and models take what follows an empty line for something else. */
const toModels: DrillPrompts = {
  work: (round, word, files) =>
    [
      `Remember that ${key(round)} is ${word}. Then do this, line by line, in this order, each with a tool of its own, and nothing else:`,
      ...files.flatMap(({ path, text }) => [`write ${path}: ${text}`, 'run: sleep 0.2']),
      `say: round ${round} is done`,
    ].join('\n'),
  recall: (round) => `Use no tool and answer with one word.\nrecall: ${key(round)}`,
}

export const drillPrompts = (agent: string): DrillPrompts => (agent === 'rehearsal' ? toRehearsal : toModels)
