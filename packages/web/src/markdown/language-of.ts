const byName = new Map([
  ['makefile', 'makefile'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
])
const byEnding = new Map([
  ['htm', 'xml'],
  ['webmanifest', 'json'],
])

/** The highlighter's language for a file name; '' if unknown. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  const ending = dot < 1 ? '' : name.slice(dot + 1)
  return byName.get(name) ?? byEnding.get(ending) ?? ending
}
