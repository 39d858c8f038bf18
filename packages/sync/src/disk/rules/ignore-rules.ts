import process from 'node:process'
import type { TrackedFiles } from '../git/tracked-files.ts'
import { parentOf } from '../workspace/path-parts.ts'
import { fitsPattern, type IgnorePattern, ignorePatterns } from './ignore-pattern.ts'

export const ignoreFiles = ['.gitignore', '.farhandignore'] as const
export type IgnoreFile = (typeof ignoreFiles)[number]

// Git tells case apart where the disk does.
const ignoreCase = process.platform === 'win32' || process.platform === 'darwin'

/**
 * The kind of rule file that a path names; null if it names none. Where the disk ignores case, git reads `.GITIGNORE` as
 * rules: a run could include under that name what it may not include under the other.
 */
export function ignoreFileAt(path: string, foldsCase = ignoreCase): IgnoreFile | null {
  const spelled = foldsCase ? path.toLowerCase() : path
  return ignoreFiles.find((name) => spelled === name || spelled.endsWith(`/${name}`)) ?? null
}

/** A rule file that is larger counts as none. */
export const mostRuleBytes = 1024 * 1024

/**
 * How much the rules may cost that one file asks, those of all folders above it together: a letter of a rule with stars counts
 * as one, and so does a rule without. More than this would hold up every look at the folder.
 */
export const mostRuleCost = 64 * 1024

type RuleFile = { text: string; rules: readonly IgnorePattern[]; cost: number }
type RuleFiles = Partial<Record<IgnoreFile, RuleFile>>
/** The rules of one file, and from where on a path is theirs to match, or what stands before it there. */
type Level = { from: number; inside?: string; rules: readonly IgnorePattern[] }
type AroundFile = RuleFile & { inside: string }

const noRules: RuleFile = { text: '', rules: [], cost: 0 }

// What was found out about folders is kept, as every file in them asks for it again; but not without end.
const mostFolders = 20_000

/**
 * What ignore rules leave out (S9). Git's rules, in git's order: the user's own for all repositories,
 * `.git/info/exclude`, then `.gitignore` from the top of the repository down, which may be above the folder, the last rule that
 * matches counts, and nothing below an ignored folder comes back. Every `.farhandignore` outranks every `.gitignore`, also deeper ones, so one line at the
 * top (`!.env.local`) can re-include what any of them leaves out; what lies in an ignored folder comes back only with
 * the folder (`!build/`). Tracked files are never ignored. Where rules cost more than `mostRuleCost`, all is left out but
 * tracked files and rule files: a run may exclude more, and the files are back once the user has shortened the rules.
 */
export class IgnoreRules {
  readonly #tracked: Pick<TrackedFiles, 'has' | 'hasBelow'>
  readonly #files = new Map<string, RuleFiles>()
  /** Of the repository, and of the user. */
  readonly #excludes = { repository: noRules, user: noRules }
  /** Of the repository that the folder lies in, if it is not its top. */
  #around: readonly AroundFile[] = []
  readonly #leftOut: ReadonlySet<string>
  readonly #levels = new Map<string, readonly Level[]>()
  readonly #folders = new Map<string, boolean>()

  /** `leftOut` are paths that the user chose not to send from this machine, even if git tracks them or a rule includes them. */
  constructor(tracked: Pick<TrackedFiles, 'has' | 'hasBelow'>, leftOut: readonly string[] = []) {
    this.#tracked = tracked
    this.#leftOut = new Set(leftOut)
  }

  /** The same rules, to try what others would leave out. */
  copy(): IgnoreRules {
    const copy = new IgnoreRules(this.#tracked, [...this.#leftOut])
    for (const [folder, files] of this.#files) copy.#files.set(folder, { ...files })
    Object.assign(copy.#excludes, this.#excludes)
    copy.#around = this.#around
    return copy
  }

  textOf(folder: string, file: IgnoreFile): string | null {
    return this.#files.get(folder)?.[file]?.text ?? null
  }

  /** Takes the text of one of these files, null if it is not there. Says whether that changes anything. */
  set(folder: string, file: IgnoreFile, text: string | null): boolean {
    const files = this.#files.get(folder) ?? {}
    if ((files[file]?.text ?? null) === text) return false
    if (text === null) delete files[file]
    else files[file] = rulesOf(text)
    if (Object.keys(files).length === 0) this.#files.delete(folder)
    else this.#files.set(folder, files)
    this.#changed()
    return true
  }

  /** Takes the text of `.git/info/exclude`, or of the user's file for all repositories. Says whether that changes anything. */
  exclude(text: string, whose: 'repository' | 'user' = 'repository'): boolean {
    if (this.#excludes[whose].text === text) return false
    this.#excludes[whose] = rulesOf(text)
    this.#changed()
    return true
  }

  /**
   * Takes the rules that a repository around the folder has for it, those first that count more; `inside` leads from where they
   * stand to the folder. Says whether that changes anything.
   */
  around(files: readonly { inside: string; text: string }[]): boolean {
    const before = this.#around
    const isSame = (file: { inside: string; text: string }, at: number) =>
      before[at]?.inside === file.inside && before[at].text === file.text
    if (files.length === before.length && files.every(isSame)) return false
    this.#around = files.map(({ inside, text }) => ({ ...rulesOf(text), inside }))
    this.#changed()
    return true
  }

  /** Forgets the rules of a folder that is gone, and of all below it. */
  forget(folder: string): void {
    for (const known of this.#files.keys()) {
      if (known !== folder && !known.startsWith(`${folder}/`)) continue
      this.#files.delete(known)
      this.#changed()
    }
  }

  /** Whether this is left out. An ignored folder with tracked files in it is not: they are to be found. */
  ignores(path: string, isFolder: boolean): boolean {
    if (this.#leftOut.has(path)) return true
    return this.matches(path, isFolder) && !this.tracks(path, isFolder)
  }

  /** Whether git tracks this file, or something in this folder. */
  tracks(path: string, isFolder: boolean): boolean {
    return isFolder ? this.#tracked.hasBelow(path) : this.#tracked.has(path)
  }

  /** Whether the rules alone leave this out, tracked or not. */
  matches(path: string, isFolder: boolean): boolean {
    const { repository, user } = this.#excludes
    const outside = this.#around.length + repository.rules.length + user.rules.length
    if (this.#files.size === 0 && outside === 0) return false
    const folder = parentOf(path)
    return (folder !== '' && this.#isFolderOut(folder)) || this.#decides(path, folder, isFolder)
  }

  #isFolderOut(path: string): boolean {
    let isOut = this.#folders.get(path)
    if (isOut === undefined) {
      isOut = this.matches(path, true)
      if (this.#folders.size >= mostFolders) this.#folders.clear()
      this.#folders.set(path, isOut)
    }
    return isOut
  }

  /** What the last rule says that fits; nothing above this path is ignored. */
  #decides(path: string, folder: string, isFolder: boolean): boolean {
    const asked = ignoreCase ? path.toLowerCase() : path
    const name = asked.slice(asked.lastIndexOf('/') + 1)
    for (const { from, inside: before = '', rules } of this.#levelsFor(folder)) {
      const inside = before + (from === 0 ? asked : asked.slice(from))
      for (let at = rules.length - 1; at >= 0; at--) {
        const rule = rules[at]!
        if (rule.isForFolders && !isFolder) continue
        if (fitsPattern(rule, inside, name)) return !rule.isNegated
      }
    }
    return false
  }

  /** The rules for what is in a folder, those first that outrank the others. The nearest folder with rules has them all. */
  #levelsFor(folder: string): readonly Level[] {
    let nearest = folder
    while (nearest !== '' && !this.#files.has(nearest)) nearest = parentOf(nearest)
    let levels = this.#levels.get(nearest)
    if (!levels) {
      levels = this.#levelsOf(nearest)
      this.#levels.set(nearest, levels)
    }
    return levels
  }

  #levelsOf(folder: string): Level[] {
    const above = [folder]
    while (above.at(-1) !== '') above.push(parentOf(above.at(-1)!))
    const files = ignoreFiles.toReversed().flatMap((file) =>
      above.flatMap((level) => {
        const rules = this.#files.get(level)?.[file]?.rules ?? []
        const from = level === '' ? 0 : level.length + 1
        return rules.length === 0 ? [] : [{ from, rules }]
      }),
    )
    const { repository, user } = this.#excludes
    const ofFolders = above.flatMap((level) => Object.values(this.#files.get(level) ?? {}))
    const all = [...ofFolders, ...this.#around, repository, user]
    const cost = all.reduce((sum, file) => sum + file.cost, 0)
    if (cost > mostRuleCost) return [{ from: 0, rules: allButRules }]
    const around = this.#around.map(({ inside, rules }) => ({
      from: 0,
      inside: ignoreCase ? inside.toLowerCase() : inside,
      rules,
    }))
    return [...files, ...around, { from: 0, ...repository }, { from: 0, ...user }]
  }

  #changed(): void {
    this.#levels.clear()
    this.#folders.clear()
  }
}

function rulesOf(text: string): RuleFile {
  const rules = ignorePatterns(text, ignoreCase)
  return { text, rules, cost: rules.reduce((sum, { cost }) => sum + cost, 0) }
}

const allButRules = ignorePatterns(['*', ...ignoreFiles.map((name) => `!${name}`)].join('\n'), ignoreCase)
