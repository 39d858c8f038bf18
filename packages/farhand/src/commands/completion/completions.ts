import type { CommandTree, OptionLeaf } from './command-tree.ts'

/** A possible word, and its description. */
export type Candidate = { word: string; says: string }

export type Completions = {
  candidates: Candidate[]
  /** Names that the shell has to add: of files, or of folders only. */
  also: 'files' | 'folders' | null
}

/** Looks up names that this machine knows; called only if they are needed. */
export type Known = (kind: 'run' | 'agent' | 'folder' | 'hub') => Candidate[]

const nothing: Completions = { candidates: [], also: null }

/** The possible completions of the last word, which may be empty. The words before it are complete. */
export function completions(root: CommandTree, words: readonly string[], known: Known): Completions {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const place = placeAfter(root, before)
  const found = atPlace(place, typed, known)
  return { ...found, candidates: found.candidates.filter(({ word }) => word.startsWith(typed)) }
}

type Place = {
  command: CommandTree
  /** How many arguments, options not counted, come before. */
  given: number
  /** The option whose value comes next. */
  open: OptionLeaf | null
  onlyWords: boolean
}

function placeAfter(root: CommandTree, words: readonly string[]): Place {
  let place: Place = { command: root, given: 0, open: null, onlyWords: false }
  for (const word of words) place = step(place, word)
  return place
}

function step(place: Place, word: string): Place {
  const { command, given, open, onlyWords } = place
  if (open && !(open.isOptional && word.startsWith('-'))) return { ...place, open: null }
  if (onlyWords) return { ...place, given: given + 1 }
  if (word === '--') return { ...place, open: null, onlyWords: true }
  if (word.startsWith('-')) {
    const option = command.options.find(({ flags }) => flags.includes(word))
    return { ...place, open: option?.takes ? option : null }
  }
  const next = command.commands.find(({ name, aliases }) => name === word || aliases.includes(word))
  // After `help` comes a command again.
  if (given === 0 && word === 'help' && command.commands.length > 0) return { ...place, open: null }
  return next && given === 0
    ? { command: next, given: 0, open: null, onlyWords }
    : { ...place, given: given + 1, open: null }
}

function atPlace({ command, given, open, onlyWords }: Place, typed: string, known: Known): Completions {
  if (open && !(open.isOptional && typed.startsWith('-'))) return valuesOfOption(open, known)
  const inOne = /^(--[\w-]+)=/.exec(typed)
  if (inOne) {
    const option = command.options.find(({ flags }) => flags.includes(inOne[1] ?? ''))
    const values = option ? valuesOfOption(option, known).candidates : []
    return { candidates: values.map(({ word, says }) => ({ word: `${inOne[0]}${word}`, says })), also: null }
  }
  if (typed.startsWith('-') && !onlyWords) return { candidates: optionsOf(command), also: null }
  if (command.commands.length > 0 && given === 0) {
    const candidates = command.commands.map(({ name, says }) => ({ word: name, says }))
    return { candidates, also: null }
  }
  const argument = command.takes[given] ?? command.takes.findLast(({ isMany }) => isMany)
  return argument ? valuesOf(argument.name, argument.choices, known) : nothing
}

const optionsOf = (command: CommandTree): Candidate[] =>
  command.options.flatMap(({ flags, says }) =>
    flags.filter((flag) => flag.startsWith('--')).map((word) => ({ word, says })),
  )

const valuesOfOption = ({ flags, takes, choices }: OptionLeaf, known: Known) =>
  valuesOf(flags.includes('--hub') ? 'hub' : takes, choices, known)

/** The value names mean the same everywhere: `<run>` is always an existing run. */
function valuesOf(takes: string | null, choices: readonly string[], known: Known): Completions {
  if (choices.length > 0) return { candidates: choices.map((word) => ({ word, says: '' })), also: null }
  switch (takes) {
    case 'run':
      return { candidates: known('run'), also: null }
    case 'id':
    case 'agent':
      return { candidates: known('agent'), also: null }
    case 'hub':
      return { candidates: known('hub'), also: null }
    // A run, paths, or both.
    case 'words':
      return { candidates: known('run'), also: 'files' }
    case 'folder':
      return { candidates: known('folder'), also: 'folders' }
    case 'kind':
      return { candidates: ['auto', 'bubblewrap', 'process'].map((word) => ({ word, says: '' })), also: null }
    case 'network':
      return { candidates: ['full', 'public', 'none'].map((word) => ({ word, says: '' })), also: null }
    case 'path':
    case 'path@event':
    case 'paths':
    case 'file':
    case 'what':
      return { candidates: [], also: 'files' }
    default:
      return nothing
  }
}
