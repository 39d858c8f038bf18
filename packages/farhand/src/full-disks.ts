import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import type { SyncNote } from '@farhand/sync/sync-notes'
import { count } from './link-screen.ts'
import { pathInWords } from './path-in-words.ts'

/** That what is here does not fit on the hub's disk, as a note. */
export function hubFull(paths: readonly WorkspacePath[]): SyncNote {
  const others = paths.length > 1 ? ` and ${count(paths.length - 1, 'other')}` : ''
  const why = `the hub has no room left for it${others}; free some space where the hub keeps its data`
  return { is: 'trouble', path: paths[0] ?? null, why }
}

/** How long files that do not fit are gathered before they are told of: they fail one after the other. */
const gatherMs = 1_000
const mostNamed = 3

/** Tells once, not with every try, that files wait for room on the disk of the folder; and when there is room again. */
export class FolderFull {
  readonly #say: (line: string) => void
  readonly #folder: string
  readonly #waiting = new Set<string>()
  #told = 0
  #later: NodeJS.Timeout | null = null

  constructor(folder: string, say: (line: string) => void) {
    this.#folder = folder
    this.#say = say
  }

  /** Whether a note is told here, and needs no line of its own. */
  take(note: SyncNote): boolean {
    if (note.is === 'applied' && this.#waiting.delete(note.path) && this.#waiting.size === 0)
      this.#roomAgain()
    if (note.is === 'in-step' && this.#waiting.size > 0) this.#roomAgain()
    if (note.is !== 'trouble' || note.path === null || !isFull(note.code)) return false
    this.#waiting.add(note.path)
    if (this.#waiting.size > this.#told)
      this.#later ??= setTimeout(() => {
        this.tell()
      }, gatherMs).unref()
    return true
  }

  /** Says what has been gathered, if there is more of it than was said. */
  tell(): void {
    if (this.#later) clearTimeout(this.#later)
    this.#later = null
    const { size } = this.#waiting
    if (size <= this.#told) return
    this.#told = size
    const some = [...this.#waiting].slice(0, mostNamed).map(pathInWords).join(', ')
    const wait = `${count(size, 'file')} ${size === 1 ? 'waits' : 'wait'} (${some}${size > mostNamed ? ', ...' : ''})`
    const next = `Free some space; ${size === 1 ? 'it is' : 'they are'} tried again.`
    this.#say(`! No room left on the disk of ${this.#folder}: ${wait}. ${next}`)
  }

  #roomAgain(): void {
    this.#waiting.clear()
    if (this.#told > 0) this.#say('There is room again.')
    this.#told = 0
  }
}

const isFull = (code: string | undefined) => code === 'ENOSPC' || code === 'EDQUOT'
