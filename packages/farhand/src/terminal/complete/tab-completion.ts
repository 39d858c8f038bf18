/** The names that can be completed; looked up only when needed. */
export type Names = {
  /** Commands, each without its slash. */
  commands(): readonly string[]
  /** The values of a command: modes, models, options. */
  values(command: string): readonly string[]
  /** The names in a folder, relative to the workspace; folders end with a slash. */
  files(folder: string): readonly string[]
}

export type Typed = { readonly text: string; readonly at: number }

/** The line after Tab, and the candidates if there are several. */
export type Completion = { text: string; at: number; candidates: readonly string[] }

/** Completes as much of the line as is unambiguous; null if there is nothing to complete. */
export function completion({ text, at }: Typed, names: Names): Completion | null {
  const before = text.slice(0, at)
  const place = placeOf(before)
  if (!place) return null
  const { from, typed, sign, behind } = place
  const found = foundFor(place, names).filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()))
  if (found.length === 0) return null
  const only = found.length === 1 ? found[0]! : null
  const isOpen = only?.endsWith('/') === true
  const longest = only ?? commonPrefix(found)
  // Keeps the typed letters' case, unless the names add something.
  const word = longest.length >= typed.length ? longest : typed
  const end = only !== null && !isOpen && !text.slice(at).startsWith(' ') ? behind : ''
  const done = `${text.slice(0, from)}${sign}${word}${end}`
  return {
    text: done + text.slice(at),
    at: done.length,
    candidates: only === null ? found.map((name) => `${sign}${lastPart(name)}`) : [],
  }
}

type Place = {
  is: 'command' | 'value' | 'file'
  /** The start of the word, including its `/` or `@`. */
  from: number
  sign: '/' | '@' | ''
  typed: string
  command: string
  behind: string
}

function placeOf(before: string): Place | null {
  const command = /^\/(\S*)$/.exec(before)
  if (command) return { is: 'command', from: 0, sign: '/', typed: command[1]!, command: '', behind: ' ' }
  const value = /^\/(\S+) +([^\n]*)$/.exec(before)
  if (value && !/(?:^|\s)@\S*$/.test(value[2]!)) {
    const [, name = '', typed = ''] = value
    return { is: 'value', from: before.length - typed.length, sign: '', typed, command: name, behind: '' }
  }
  const begin = Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n')) + 1
  const word = before.slice(begin)
  if (!word.startsWith('@')) return null
  return { is: 'file', from: begin, sign: '@', typed: word.slice(1), command: '', behind: ' ' }
}

function foundFor({ is, typed, command }: Place, names: Names): readonly string[] {
  if (is === 'command') return names.commands()
  if (is === 'value') return names.values(command)
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1)
  const base = typed.slice(folder.length)
  const isHidden = (name: string) => name.startsWith('.') && !base.startsWith('.')
  return names
    .files(folder)
    .filter((name) => !isHidden(name))
    .map((name) => `${folder}${name}`)
}

/** The last part of a path, for the list of candidates. */
const lastPart = (name: string) => name.slice(name.replace(/\/$/, '').lastIndexOf('/') + 1)

/** The longest common beginning, ignoring case; spelled as in the first name. */
function commonPrefix(names: readonly string[]): string {
  const [first = '', ...others] = names
  let length = first.length
  for (const other of others) {
    let same = 0
    while (same < length && first[same]?.toLowerCase() === other[same]?.toLowerCase()) same += 1
    length = same
  }
  return first.slice(0, length)
}
