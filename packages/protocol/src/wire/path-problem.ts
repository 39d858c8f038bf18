const partBytes = 255
const pathBytes = 4096

// Nearly every path matches this, and such a path passes every check below.
const plain = /^[\w@+=,()-][\w@+=,().-]*(?:\/[\w@+=,()-][\w@+=,().-]*)*$/

const utf8 = new TextEncoder()
const takesMoreBytes = (text: string, most: number) =>
  text.length * 3 > most && utf8.encode(text).length > most

/** The name that some file system may see: lower case, without characters that HFS+ and ext4 ignore and endings that Windows cuts off. */
export const fileSystemName = (name: string) =>
  name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/:.*$/s, '')
    .replace(/[ .]+$/, '')
    .toLowerCase()
    // macOS treats the long s as an s, and toLowerCase leaves it as it is.
    .replaceAll('\u017f', 's')

function nameProblem(name: string): string | null {
  if (name === '') return 'expected no empty part, and no slash at either end'
  if (/^\.\.? *$/.test(name)) return 'expected no part that is . or ..'
  const seen = fileSystemName(name)
  if (seen === '.git' || seen === 'git~1') return 'expected no part that a file system could take for .git'
  return null
}

/** Why this is not a path inside a workspace, in words for its sender; null if it is one (S10). */
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
    // A backslash is a separator on Windows: the parts between backslashes have to be safe there too.
    for (const name of part.split('\\')) {
      const problem = nameProblem(name)
      if (problem) return problem
    }
  }
  return null
}
