/**
 * Whether a path, as an agent names it, stays in this folder and out of any `.git`. It looks at names alone
 * (`resolve-symlinks` follows links), and the disk may change afterwards: this is a courtesy to the user, not a
 * security boundary.
 */
export function isInside(path: string, folder: string): boolean {
  const root = parts(folder)
  const isAbsolute = /^([/\\]|[a-zA-Z]:)/.test(path)
  // Names that a shell or the agent would expand cannot be judged.
  if (path === '' || path.includes('\0') || path.startsWith('~') || /^[a-z][a-z0-9+.-]+:/i.test(path))
    return false
  const whole = resolved(isAbsolute ? parts(path) : [...root, ...parts(path)])
  if (!whole) return false
  const within = whole.slice(root.length)
  // A program that may write git hooks or git config may run anything.
  if (within.some((part) => part.toLowerCase() === '.git')) return false
  return within.length > 0 && root.every((part, index) => part === whole[index])
}

const parts = (path: string) => path.split(/[/\\]+/).filter((part) => part !== '' && part !== '.')

function resolved(names: readonly string[]): string[] | null {
  const whole: string[] = []
  for (const name of names) {
    if (name !== '..') whole.push(name)
    else if (whole.pop() === undefined) return null
  }
  return whole
}
