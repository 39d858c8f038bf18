/** The runs that this machine knows. */
export type RunNames = {
  /** The ids of the runs that this machine knows. */
  readonly names: readonly string[]
  /** Whether the current folder has a run. */
  readonly hasOwn: boolean
}

/** Whether this word can only be a run: an id, or a whole address. */
const isRun = (word: string) => /^(run_|prj_)/.test(word)

/** `send <run> <text>`, or `send <text>` to the run of the folder. */
export function splitMessage(
  first: string | undefined,
  second: string | undefined,
): { named: string | undefined; said: string | undefined } {
  if (second !== undefined) return { named: first, said: second }
  return first !== undefined && isRun(first)
    ? { named: first, said: undefined }
    : { named: undefined, said: first }
}

/**
 * `answer <run> <words>`, or `answer <words>` for the run of the folder. The beginning of an id without `run_` counts
 * as a run only if it matches one, or if the folder has none and an answer follows.
 */
export function splitAnswer(
  first: string | undefined,
  rest: readonly string[],
  { names, hasOwn }: RunNames,
): { named: string | undefined; words: readonly string[] } {
  if (first === undefined) return { named: undefined, words: [] }
  const mayBeRun = /^[0-9A-Za-z]{4,}$/.test(first)
  const isKnown = names.some((id) => id.startsWith(`run_${first}`))
  const isNamed = isRun(first) || (mayBeRun && (isKnown || (!hasOwn && rest.length > 0)))
  return isNamed ? { named: first, words: rest } : { named: undefined, words: [first, ...rest] }
}
