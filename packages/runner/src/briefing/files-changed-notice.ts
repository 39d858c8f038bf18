import { plainLine, shortened } from '@farhand/protocol/text/plain-text'

export type FileChanged = { path: string; by: string; action?: 'created' | 'modified' | 'deleted' }

const mostCharacters = 16_000
const mostPerAuthor = 40
const mostAuthors = 5
const mostFolders = 10

/**
 * The notice to an agent about files that others changed since it last looked, in 16,000 characters at most; empty if
 * there are none. The order of changes does not matter.
 */
export function filesChangedNotice(changes: readonly FileChanged[]): string {
  if (changes.length === 0) return ''
  const newest = new Map(changes.map((change) => [`${change.by}\0${change.path}`, change]))
  const groups = grouped([...newest.values()], ({ by }) => by)
  const authors = [...groups.keys()].sort(byText)
  const lines = [
    'These files changed under you since you last looked. Read them again before you rely on them:',
  ]
  for (const by of authors.slice(0, mostAuthors)) lines.push(...byAuthor(by, groups.get(by)!))
  const others = authors.slice(mostAuthors).flatMap((by) => groups.get(by)!)
  if (others.length > 0) lines.push(`Others changed ${others.length} more.`)
  return shortened(lines.join('\n'), mostCharacters)
}

function byAuthor(by: string, changes: readonly FileChanged[]): string[] {
  const sorted = changes.toSorted((a, b) => byText(a.path, b.path))
  const lines = [`Changed by ${shortened(plainLine(by), 100)}:`]
  for (const { path, action } of sorted.slice(0, mostPerAuthor)) {
    lines.push(`- ${nameOf(path)}${action && action !== 'modified' ? ` (${action})` : ''}`)
  }
  const rest = sorted.slice(mostPerAuthor)
  if (rest.length === 0) return lines
  const folders = [...grouped(rest, ({ path }) => folderOf(path))]
    .map(([folder, files]) => ({ folder, count: files.length }))
    .sort((a, b) => b.count - a.count || byText(a.folder, b.folder))
  const named = folders.slice(0, mostFolders).map(({ folder, count }) => `${count} in ${nameOf(folder)}`)
  const more = folders.length > mostFolders ? ' and other folders' : ''
  return [...lines, `- and ${rest.length} more: ${named.join(', ')}${more}`]
}

function grouped(changes: readonly FileChanged[], groupOf: (change: FileChanged) => string) {
  const groups = new Map<string, FileChanged[]>()
  for (const change of changes) {
    const name = groupOf(change)
    const group = groups.get(name)
    if (group) group.push(change)
    else groups.set(name, [change])
  }
  return groups
}

const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : './')

/** A name with a newline in it must not look like our own text. */
export function nameOf(path: string): string {
  const line = plainLine(path)
  return shortened(line === path ? path : JSON.stringify(line), 300)
}

// Not by locale: two runners must produce the same text.
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
