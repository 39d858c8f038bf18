/**
 * Takes what is ours out of the arguments of `npm test`; the rest is vitest's. Throws a sentence.
 * @param {readonly string[]} args
 * @returns {{ long: boolean, seed: string | undefined, rest: string[] }}
 */
export function readArgs(args) {
  let long = false
  /** @type {string | undefined} */
  let seed
  const rest = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--long') long = true
    else if (arg === '--seed') seed = args[++at] ?? ''
    else if (arg.startsWith('--seed=')) seed = arg.slice('--seed='.length)
    else rest.push(arg)
  }
  if (seed !== undefined && !/^-?\d{1,15}$/.test(seed)) {
    throw new Error('--seed takes the whole number that a failed drill printed.')
  }
  return { long, seed, rest }
}
