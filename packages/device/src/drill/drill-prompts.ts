/** The prompts for the agent. */
export type DrillPrompts = {
  /** Has the agent remember a word, then write files one after the other with a pause between. */
  work: (round: number, word: string, files: readonly DrillFile[]) => string
  /** Asks the agent for the word. */
  recall: (round: number) => string
}

export type DrillFile = { path: string; text: string }

const key = (round: number) => `the word of round ${round}`

/** The rehearsal does exactly what each line says. */
const toRehearsal: DrillPrompts = {
  work: (round, word, files) =>
    [
      `remember ${key(round)} is ${word}`,
      ...files.flatMap(({ path, text }) => [`write ${path} with "${text}"`, 'run `sleep 0.2`']),
      `say round ${round} is done`,
    ].join('\n'),
  recall: (round) => `recall ${key(round)}`,
}

/** One paragraph: some agents treat what follows an empty line as something else. */
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
