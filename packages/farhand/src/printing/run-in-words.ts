/** How much of a run's id is shown: as many letters as its names in git have. */
export const lettersShown = 'run_'.length + 8

/** A run as people are told of it, in lists and in commands to copy: every command takes it for the whole id. */
export const runInWords = (run: string) => run.slice(0, lettersShown)
