// Instructions that agents follow where they find them; without its file HEAD, a folder is no repository to git, whose settings name programs.
const trusted = new Set([
  ...['agents.md', 'agents.override.md', 'claude.md', 'claude.local.md', 'gemini.md', 'qwen.md'],
  ...['node_modules', 'head'],
])

/** Whether programs take settings, instructions or code from what has this name, wherever it is. */
export function isTrustedName(name: string): boolean {
  // Some file systems take no notice of marks that are not seen.
  const seen = name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
  return seen.startsWith('.') || trusted.has(seen)
}

/** The files of a sandbox that are left out of a download: those that programs trust, unless the file itself was asked for. */
export function leftOut(asked: readonly string[]): (path: string) => boolean {
  const named = new Set(asked.map((one) => one.replace(/^(\.\/)+/, '')))
  return (path) => path.split('/').some(isTrustedName) && !named.has(path)
}
