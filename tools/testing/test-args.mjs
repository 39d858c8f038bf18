import { parseArgs } from 'node:util'

export const help = `npm test                            checks and tests everything, then drills; the first time it downloads two
                                    coding agents (115 MB), and skips their tests by name if it cannot
npm test -- packages/hub            only the tests in a folder or file
npm test -- packages/hub -t 'W7'    only those whose name has this in it
npm test -- --long                  ten times the rounds in the drills, and other chances each time
npm test -- --seed 12               the chances of a run that failed; otherwise every commit has its own
npm test -- --note-times            keeps how long each file took, by which the next runs begin with the slowest
npm test -- --help                  this
`

/**
 * Reads the arguments of `npm test`. Throws an Error with a sentence if they are wrong; unknown flags too, because a user
 * would believe that an ignored flag had worked.
 * @param {readonly string[]} args
 */
export function readArgs(args) {
  const { values, positionals } = parseArgs({
    args: joinSeed(args),
    allowPositionals: true,
    options: {
      long: { type: 'boolean', default: false },
      seed: { type: 'string' },
      'test-name-pattern': { type: 'string', short: 't' },
      'note-times': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { long, seed, help } = values
  if (seed !== undefined && !/^-?\d{1,15}$/.test(seed)) {
    throw new Error('--seed takes the whole number that a failed drill printed.')
  }
  const [name, notesTimes] = [values['test-name-pattern'], values['note-times']]
  if (notesTimes && (name !== undefined || positionals.length > 0))
    throw new Error('--note-times is for a run of all tests: what a part takes says nothing of the others.')
  return { long, seed, help, name, notesTimes, paths: positionals }
}

// A seed may be negative, which parseArgs would take for a flag.
function joinSeed(/** @type {readonly string[]} */ args) {
  const at = args.indexOf('--seed')
  if (at === -1) return [...args]
  return [...args.slice(0, at), `--seed=${args[at + 1] ?? ''}`, ...args.slice(at + 2)]
}
