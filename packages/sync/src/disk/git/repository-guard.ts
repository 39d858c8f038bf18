import { fileSystemName } from '@farhand/protocol/wire/path-problem'

/** What is at a path of the workspace: git takes a folder for a repository only if its HEAD is a file or a link. */
export type FoundThere = 'file' | 'folder' | null

/**
 * Keeps folders from becoming what git takes for a repository: HEAD beside `objects` and `refs`, or HEAD beside `commondir`.
 * A user who then calls git in such a folder runs the programs that its `config` names, and the run wrote that file. Files inside a
 * folder that is one already are held back too: they may be its hooks and its settings.
 */
export class RepositoryGuard {
  readonly #look: (path: string) => FoundThere
  /** What is about to be written and not on the disk yet. */
  readonly #about = new Map<string, FoundThere>()
  readonly #isOne = new Map<string, boolean>()

  constructor(look: (path: string) => FoundThere) {
    this.#look = look
  }

  /** Whether a file at this path is held back. If not, it counts as written until `forget`. */
  holds(path: string): boolean {
    const parts = path.split(/[/\\]/)
    const marks: [string, FoundThere][] = []
    for (const [n, part] of parts.entries()) {
      const folder = parts.slice(0, n).join('/')
      if (this.#isRepository(folder)) return true
      const name = marksOf.get(fileSystemName(part))
      if (name === undefined) continue
      const is = n === parts.length - 1 ? 'file' : 'folder'
      if (this.#completes(folder, name, is)) return true
      marks.push([within(folder, name), is])
    }
    for (const [mark, is] of marks) this.#about.set(mark, is)
    // Something in them is no longer as it was when they were looked at.
    if (marks.length > 0) this.#isOne.clear()
    return false
  }

  /** What was about to be written is on the disk by now, or was given up. */
  forget(): void {
    this.#about.clear()
    this.#isOne.clear()
  }

  #isRepository(folder: string): boolean {
    let is = this.#isOne.get(folder)
    if (is === undefined) {
      is = passesForRepository((name) => this.#at(folder, name))
      this.#isOne.set(folder, is)
    }
    return is
  }

  #completes(folder: string, name: Mark, is: FoundThere): boolean {
    return passesForRepository((other) => (other === name ? is : this.#at(folder, other)))
  }

  #at(folder: string, name: Mark): FoundThere {
    const path = within(folder, name)
    return this.#about.get(path) ?? this.#look(path)
  }
}

type Mark = 'HEAD' | 'objects' | 'refs' | 'commondir'

// A disk may not tell upper case from lower case, and this has to hold on every disk that the run is synced to.
const marksOf = new Map<string, Mark>([
  ['head', 'HEAD'],
  ['objects', 'objects'],
  ['refs', 'refs'],
  ['commondir', 'commondir'],
])

/** Git asks of `objects` and `refs` only that it may enter them, which a program file passes as well. */
function passesForRepository(at: (name: Mark) => FoundThere): boolean {
  if (at('HEAD') !== 'file') return false
  return (at('objects') !== null && at('refs') !== null) || at('commondir') === 'file'
}

/** The folders among these paths that git would take for a repository, as they are called. */
export function repositoriesAmong(paths: Iterable<string>): string[] {
  const found = new Set<string>()
  const seen = new Map<string, FoundThere>()
  const guard = new RepositoryGuard((path) => seen.get(path) ?? null)
  for (const path of paths) {
    // Where cases are not told apart, folders whose names differ only in that become one.
    if (!guard.holds(path.split('/').map(fileSystemName).join('/'))) continue
    const parts = path.split('/')
    const at = parts.findIndex((part) => marksOf.has(fileSystemName(part)))
    found.add(parts.slice(0, Math.max(0, at)).join('/') || '.')
  }
  return [...found]
}

const within = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`)
