import process from 'node:process'
import ignore, { type Ignore } from 'ignore'
import { rulesBelow } from './rules-below.ts'
import type { TrackedFiles } from './tracked-files.ts'

export const ignoreFiles = ['.gitignore', '.farhandignore'] as const
export type IgnoreFile = (typeof ignoreFiles)[number]

type Texts = Partial<Record<IgnoreFile, string>>

// Git tells case apart where the disk does.
const ignoreCase = process.platform === 'win32' || process.platform === 'darwin'

// The library remembers every answer it gave and never forgets one; a copy of it starts anew.
const answersAtMost = 4096

/**
 * What is not synced because someone said so (S9). Git's rules, in git's order: `.git/info/exclude`, then `.gitignore`
 * from the top down, the last rule that matches counts, and nothing below an ignored folder comes back. Every
 * `.farhandignore` outranks every `.gitignore`, also deeper ones, so one line at the top (`!.env.local`) can
 * re-include what any of them leaves out; what lies in an ignored folder comes back only with the folder
 * (`!build/`). Tracked files are never ignored.
 */
export class IgnoreRules {
  readonly #tracked: Pick<TrackedFiles, 'has' | 'hasBelow'>
  readonly #texts = new Map<string, Texts>()
  #exclude = ''
  readonly #leftOut: ReadonlySet<string>
  readonly #compiled = new Map<string, Ignore | null>()
  #answers = 0

  /** `leftOut` are paths that somebody chose not to send from this machine: whatever tracks them, or takes them in. */
  constructor(tracked: Pick<TrackedFiles, 'has' | 'hasBelow'>, leftOut: readonly string[] = []) {
    this.#tracked = tracked
    this.#leftOut = new Set(leftOut)
  }

  get #none(): boolean {
    return this.#texts.size === 0 && this.#exclude === ''
  }

  /** Takes the text of one of these files, null if it is not there. Says whether that changes anything. */
  set(folder: string, file: IgnoreFile, text: string | null): boolean {
    const texts = this.#texts.get(folder) ?? {}
    if ((texts[file] ?? null) === text) return false
    if (text === null) delete texts[file]
    else texts[file] = text
    if (Object.keys(texts).length === 0) this.#texts.delete(folder)
    else this.#texts.set(folder, texts)
    this.#compiled.clear()
    return true
  }

  /** Takes the text of `.git/info/exclude`. Says whether that changes anything. */
  exclude(text: string): boolean {
    if (this.#exclude === text) return false
    this.#exclude = text
    this.#compiled.clear()
    return true
  }

  /** Forgets the rules of a folder that is gone, and of all below it. */
  forget(folder: string): void {
    for (const known of this.#texts.keys()) {
      if (known !== folder && !known.startsWith(`${folder}/`)) continue
      this.#texts.delete(known)
      this.#compiled.clear()
    }
  }

  /** Whether this is left out. An ignored folder with tracked files in it is not: they are to be found. */
  ignores(path: string, isFolder: boolean): boolean {
    if (this.#leftOut.has(path)) return true
    if (!this.matches(path, isFolder)) return false
    return isFolder ? !this.#tracked.hasBelow(path) : !this.#tracked.has(path)
  }

  /** Whether the rules alone leave this out, tracked or not. */
  matches(path: string, isFolder: boolean): boolean {
    if (this.#none) return false
    const rules = this.#rulesFor(path.slice(0, Math.max(path.lastIndexOf('/'), 0)))
    if (!rules) return false
    if (++this.#answers > answersAtMost) {
      for (const [folder, used] of this.#compiled) {
        if (used) this.#compiled.set(folder, ignore({ ignoreCase }).add(used))
      }
      this.#answers = 0
    }
    return rules.test(isFolder ? `${path}/` : path).ignored
  }

  /** The nearest folder with rules decides, because its list holds those of all folders above. */
  #rulesFor(folder: string): Ignore | null {
    let nearest = folder
    while (nearest !== '' && !this.#texts.has(nearest))
      nearest = nearest.slice(0, Math.max(nearest.lastIndexOf('/'), 0))
    const compiled = this.#compiled.get(nearest)
    if (compiled !== undefined) return compiled
    const rules = this.#compile(nearest)
    this.#compiled.set(nearest, rules)
    return rules
  }

  #compile(folder: string): Ignore {
    const chain = ['']
    for (let end = folder.indexOf('/'); folder !== ''; end = folder.indexOf('/', end + 1)) {
      chain.push(end === -1 ? folder : folder.slice(0, end))
      if (end === -1) break
    }
    const rules = ignore({ ignoreCase }).add(rulesBelow('', this.#exclude))
    for (const file of ignoreFiles) {
      for (const level of chain) rules.add(rulesBelow(level, this.#texts.get(level)?.[file] ?? ''))
    }
    return rules
  }
}
