/** What is known of runs on this machine. */
export type KnownRuns = {
  /** The ids of all of which anything is here. */
  readonly names: readonly string[]
  /** Whether the folder in which the user stands has a run. */
  readonly hasOwn: boolean
}

/** Whether this word can only be meant as a run: by its id, or by its whole address. */
const isRun = (word: string) => /^(run_|prj_)/.test(word)

/** `send <run> <text>`, or `send <text>` to the run of the folder. */
export function messageMeant(
  first: string | undefined,
  second: string | undefined,
): { named: string | undefined; said: string | undefined } {
  if (second !== undefined) return { named: first, said: second }
  return first !== undefined && isRun(first)
    ? { named: first, said: undefined }
    : { named: undefined, said: first }
}

/**
 * `answer <run> <words>`, or `answer <words>` in the run of the folder. The beginning of an id without its `run_` counts as a run only
 * if there is such a run, or if the folder has none.
 */
export function answerMeant(
  first: string | undefined,
  rest: readonly string[],
  { names, hasOwn }: KnownRuns,
): { named: string | undefined; words: readonly string[] } {
  if (first === undefined) return { named: undefined, words: [] }
  const isNamed =
    isRun(first) || (/^[0-9A-Za-z]{4,}$/.test(first) && names.some((id) => id.startsWith(`run_${first}`)))
  return isNamed || !hasOwn ? { named: first, words: rest } : { named: undefined, words: [first, ...rest] }
}
