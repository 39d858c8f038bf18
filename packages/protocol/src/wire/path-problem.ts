const partBytes = 255
const pathBytes = 4096

// Nearly every path matches this, and nothing below could object to it.
const plain = /^[\w@+=,()-][\w@+=,().-]*(?:\/[\w@+=,()-][\w@+=,().-]*)*$/

const utf8 = new TextEncoder()
const takesMoreBytes = (text: string, most: number) =>
  text.length * 3 > most && utf8.encode(text).length > most

/** What a file system may take this name for: case, what HFS+ and ext4 ignore, what Windows cuts off. */
export const fileSystemName = (name: string) =>
  name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/:.*$/s, '')
    .replace(/[ .]+$/, '')
    .toLowerCase()
    // The long s, which macOS takes for an s, has no other case of its own.
    .replaceAll('\u017f', 's')

function troubleWithName(name: string): string | null {
  if (name === '') return 'expected no empty part, and no slash at either end'
  if (/^\.\.? *$/.test(name)) return 'expected no part that is . or ..'
  const seen = fileSystemName(name)
  if (seen === '.git' || seen === 'git~1') return 'expected no part that a file system could take for .git'
  return null
}

/** Why this is not a path inside a workspace, as a sentence for its sender; null if it is one (S10). */
export function pathProblem(path: string): string | null {
  if (path.length <= partBytes && plain.test(path)) return null
  if (path === '') return 'expected a path'
  if (path.includes('\0')) return 'expected no NUL character'
  if (/\p{Surrogate}/u.test(path)) return 'expected whole characters: half of a surrogate pair has no bytes'
  if (path !== path.normalize('NFC')) return 'expected Unicode in NFC'
  if (takesMoreBytes(path, pathBytes)) return `expected at most ${pathBytes} bytes`
  if (/^[a-z]:/i.test(path)) return 'expected no drive letter'
  for (const part of path.split('/')) {
    if (takesMoreBytes(part, partBytes)) return `expected at most ${partBytes} bytes between two slashes`
    // A backslash is a letter here and a separator on Windows: what it separates has to be harmless there too.
    for (const name of part.split('\\')) {
      const trouble = troubleWithName(name)
      if (trouble) return trouble
    }
  }
  return null
}
