import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'

type Change = Extract<SyncNote, { is: 'sent' | 'applied' | 'kept' | 'conflict' }>

/** The changes of one burst that get a line each; the others are only counted. */
const mostLines = 8
const burstMs = 1_000

const arrows = { sent: '→', applied: '←', kept: '!', conflict: '!' }

/** Counted changes of one kind in one folder. */
type Group = { is: Change['is']; isGone: boolean; folder: string; files: number }

/**
 * Keeps a renamed folder or a checked-out branch from flooding the screen: after a few changes the rest is summed up
 * when the burst is over, in a line for each folder. `say` prints a line, `one` formats a single change.
 */
export class ManyChanges {
  readonly #say: (line: string) => void
  readonly #one: (change: Change) => string
  readonly #groups = new Map<string, Group>()
  /** The hint how to find the versions that get no line of their own. */
  readonly #history: string
  #inBurst = 0
  #timer: NodeJS.Timeout | null = null

  constructor(
    say: (line: string) => void,
    one: (change: Change) => string,
    history = 'farhand history <path>',
  ) {
    this.#say = say
    this.#one = one
    this.#history = `: \`${history}\` names every version`
  }

  add(change: Change): void {
    this.#inBurst += 1
    this.#timer ??= setTimeout(() => this.tell(), burstMs).unref()
    if (this.#inBurst <= mostLines) this.#say(this.#one(change))
    else this.#count(change)
  }

  /** Ends the burst and prints what was only counted. */
  tell(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#inBurst = 0
    for (const group of this.#groups.values()) {
      const { is, folder, files } = group
      const where = folder === '' ? '' : `${pathInWords(`${folder}/`)}  `
      const what = `${files.toLocaleString('en')} more ${files === 1 ? 'file' : 'files'}`
      this.#say(`${arrows[is]} ${where}${what}${this.#fate(group)}`)
    }
    this.#groups.clear()
  }

  #fate({ is, isGone, files }: Group): string {
    if (is === 'kept') return ` gave way here and ${files === 1 ? 'is' : 'are'} kept${this.#history}`
    if (is === 'conflict') return ` changed on both sides${this.#history}`
    return isGone ? ' deleted' : ''
  }

  #count(change: Change): void {
    const { is, path } = change
    const isGone = 'deed' in change && change.deed === 'deleted'
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const top = folder.split('/', 1)[0]!
    const name = `${is} ${isGone} ${top}`
    const group = this.#groups.get(name)
    if (!group) this.#groups.set(name, { is, isGone, folder, files: 1 })
    else {
      group.files += 1
      group.folder = sharedFolder(group.folder, folder)
    }
  }
}

/** The innermost folder that contains both. */
function sharedFolder(one: string, other: string): string {
  if (one === other) return one
  const [a, b] = [one.split('/'), other.split('/')]
  const differs = a.findIndex((part, at) => part !== b[at])
  return (differs === -1 ? a : a.slice(0, differs)).join('/')
}
