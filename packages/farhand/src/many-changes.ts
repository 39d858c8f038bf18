import type { SyncNote } from '@farhand/sync/sync-notes'
import { pathInWords } from './path-in-words.ts'

type Change = Extract<SyncNote, { is: 'sent' | 'applied' | 'conflict' }>

/** So many of one burst get a line each; of the others, which come with a folder that was renamed, only how many. */
const mostLines = 8
const burstMs = 1_000

const arrows = { sent: '→', applied: '←', conflict: '!' }

/** What was done in one folder, in one direction. */
type Group = { arrow: string; isGone: boolean; folder: string; files: number }

/**
 * Keeps a folder that is renamed, or a branch that is checked out, from flooding a screen: after a few changes the rest
 * is told once it is quiet, in a line for each folder. `say` takes a line, `one` makes that of a single change.
 */
export class ManyChanges {
  readonly #say: (line: string) => void
  readonly #one: (change: Change) => string
  readonly #groups = new Map<string, Group>()
  /** What to do about conflicts that get no line of their own. */
  readonly #inConflict: string
  #inBurst = 0
  #timer: NodeJS.Timeout | null = null

  constructor(say: (line: string) => void, one: (change: Change) => string, farhand = 'farhand') {
    this.#say = say
    this.#one = one
    this.#inConflict = ` changed on both sides: \`${farhand} history <path>\` names every version`
  }

  add(change: Change): void {
    this.#inBurst += 1
    this.#timer ??= setTimeout(() => this.tell(), burstMs).unref()
    if (this.#inBurst <= mostLines) this.#say(this.#one(change))
    else this.#count(change)
  }

  /** The burst is over: what was only counted is told. */
  tell(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#inBurst = 0
    for (const { arrow, isGone, folder, files } of this.#groups.values()) {
      const what = `${files.toLocaleString('en')} more ${files === 1 ? 'file' : 'files'}`
      this.#say(
        `${arrow} ${folder === '' ? '' : `${pathInWords(`${folder}/`)}  `}${what}${arrow === '!' ? this.#inConflict : isGone ? ' deleted' : ''}`,
      )
    }
    this.#groups.clear()
  }

  #count(change: Change): void {
    const { path } = change
    const arrow = arrows[change.is]
    const isGone = change.is !== 'conflict' && change.deed === 'deleted'
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const top = folder.split('/', 1)[0]!
    const group = this.#groups.get(`${arrow}${isGone}${top}`)
    if (!group) this.#groups.set(`${arrow}${isGone}${top}`, { arrow, isGone, folder, files: 1 })
    else {
      group.files += 1
      group.folder = sharedFolder(group.folder, folder)
    }
  }
}

/** The innermost folder that both are, or are in. */
function sharedFolder(one: string, other: string): string {
  if (one === other) return one
  const [a, b] = [one.split('/'), other.split('/')]
  const differs = a.findIndex((part, at) => part !== b[at])
  return (differs === -1 ? a : a.slice(0, differs)).join('/')
}
