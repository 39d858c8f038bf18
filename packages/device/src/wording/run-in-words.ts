/** How much of a run's id is shown: as much as the names of its branches in git have. */
export const lettersShown = 'run_'.length + 8

/** The shortened id of a run, as messages and copied commands show it: every command accepts it instead of the whole id. */
export const runInWords = (run: string) => run.slice(0, lettersShown)
