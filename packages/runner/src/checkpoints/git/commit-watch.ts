import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gitFolder } from './git-state.ts'

const mostBytes = 16 * 1024 * 1024

/** Detects commits of the agent by reading git's reflog of HEAD: it costs a stat of one file, and no process. */
export class CommitWatch {
  readonly #root: string
  #look = ''
  #length = 0

  constructor(root: string) {
    this.#root = root
  }

  /** Commits after this one are news; if the reflog does not have it, nothing so far is. */
  begin(told: string | null): void {
    const text = this.#text() ?? ''
    const at = told === null ? -1 : text.lastIndexOf(` ${told} `)
    this.#length = at === -1 ? text.length : text.indexOf('\n', at) + 1
    if (at !== -1) this.#look = ''
  }

  /** The commits since the last call. */
  news(): ReflogCommit[] {
    const text = this.#text()
    if (text === null) return []
    const from = text.length >= this.#length ? this.#length : 0
    this.#length = text.lastIndexOf('\n') + 1
    return commitsInReflog(text.slice(from))
  }

  /** HEAD's commit and branch, read from two files. */
  get head(): { sha: string | null; branch: string | null } {
    const head = this.#textOf('HEAD')
    const branch = /^ref: refs\/heads\/(.+)/.exec(head)?.[1] ?? null
    const sha = /^[0-9a-f]{40,64}/.exec(branch ? this.#textOf(`refs/heads/${branch}`) : head)?.[0] ?? null
    return { sha, branch }
  }

  #textOf(name: string): string {
    try {
      return readFileSync(join(this.#root, '.git', name), 'utf8')
    } catch {
      return ''
    }
  }

  /** The reflog; null if it has not changed. */
  #text(): string | null {
    const folder = gitFolder(this.#root)
    if (!folder) return null
    const file = join(folder, 'logs', 'HEAD')
    const stats = statSync(file, { throwIfNoEntry: false })
    const look = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ''
    if (look === this.#look || !stats || stats.size > mostBytes) return null
    this.#look = look
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return null
    }
  }
}

/** A commit in a reflog. */
type ReflogCommit = { sha: string; message: string }

const line = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\t]*\t(.*)$/
// Entries that only move HEAD to an existing commit are no news.
const isMove =
  /^(checkout|reset|clone|branch|pull:? fast-forward|rebase[^:]*\((start|abort|finish)\)|Branch:)/i
const isNothingNew = /: Fast-forward$/

/** The commits in a reflog, oldest first, each with its subject as far as git noted it. */
export function commitsInReflog(reflog: string): ReflogCommit[] {
  return reflog.split('\n').flatMap((text) => {
    const [, sha, what] = line.exec(text) ?? []
    if (!sha || what === undefined || isMove.test(what) || isNothingNew.test(what)) return []
    const colon = what.indexOf(': ')
    return [{ sha, message: colon === -1 ? what : what.slice(colon + 2) }]
  })
}
