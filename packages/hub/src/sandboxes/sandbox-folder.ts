import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { RunId } from '@farhand/protocol/wire/ids'
import { z } from 'zod'
import { type ProcessId, readIdentity } from './processes.ts'

/** Used as the name of a folder. */
const SandboxId = z.string().regex(/^[0-9A-Za-z_-]{1,100}$/)

/** What the next hub must know of a sandbox. Written to disk before the sandbox is started. */
export const SandboxNote = z.object({
  id: SandboxId,
  run: RunId,
  /** The host that started it. */
  kind: z.string(),
  /** The user id of its processes, if it has a separate user. */
  uid: z.number().int().optional(),
  /** Its control groups, which are removed with it. */
  cgroups: z.array(z.string()),
})
export type SandboxNote = z.infer<typeof SandboxNote>

const goneEnd = '.gone'
const tool = promisify(execFile)

/** The folders of all sandboxes on this machine, readable only by the hub's user. */
export class SandboxFolders {
  readonly #root: string

  constructor(root: string) {
    this.#root = path.resolve(root)
  }

  /** Makes the folder of a sandbox, or uses an existing one without a note. */
  make(note: SandboxNote): SandboxFolder {
    SandboxNote.parse(note)
    const folder = path.join(this.#root, note.id)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, 'note.json')
    if (existsSync(file)) throw new Error(`there is a sandbox ${note.id} already`)
    writeFileSync(`${file}.new`, JSON.stringify(note), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    return new SandboxFolder(folder)
  }

  /** All sandboxes with a valid note, including those whose removal was interrupted. */
  list(): SandboxFolder[] {
    return namesIn(this.#root).flatMap((name) => {
      const folder = new SandboxFolder(path.join(this.#root, name))
      return folder.note() ? [folder] : []
    })
  }

  /** The folder of a sandbox; null if there is none. */
  find(id: string): SandboxFolder | null {
    if (!SandboxId.safeParse(id).success) return null
    const named = [id, `${id}${goneEnd}`].map((name) => new SandboxFolder(path.join(this.#root, name)))
    // A process of a sandbox that is being removed may have made the folder of its first name again.
    return named.find((folder) => folder.note()) ?? named.find(isThere) ?? null
  }
}

const isThere = ({ path }: SandboxFolder) => existsSync(path)

export class SandboxFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  place(name: string): string {
    return path.join(this.path, name)
  }

  makePlace(name: string): string {
    const place = this.place(name)
    mkdirSync(place, { mode: 0o700 })
    return place
  }

  note(): SandboxNote | null {
    const text = this.#read('note.json')
    try {
      return text === null ? null : SandboxNote.parse(JSON.parse(text))
    } catch {
      // Only hubs write notes, so a sandbox with an incomplete note was never started.
      return null
    }
  }

  /** The process that waits for the program; null if it has not begun. */
  supervisor(): ProcessId | null {
    return readIdentity(this.#read('supervisor') ?? '')
  }

  /** The process that keeps the last output until no process writes any more. */
  wordsKeeper(): ProcessId | null {
    return readIdentity(this.#read('words-keeper') ?? '')
  }

  /** The exit code of the program in a shell's format; null if it still runs or its end was not recorded. */
  code(): number | null {
    const text = this.#read('code')
    return text ? Number.parseInt(text, 10) : null
  }

  lastWords(): string {
    return this.#read('last-words') ?? ''
  }

  /**
   * Renames the folder, so that no process of the sandbox finds it: a supervisor that has not yet written its identity fails to do so
   * and ends.
   */
  rename(): SandboxFolder {
    if (this.path.endsWith(goneEnd)) return this
    const gone = `${this.path}${goneEnd}`
    renameSync(this.path, gone)
    return new SandboxFolder(gone)
  }

  /**
   * Removes the folder asynchronously, as it may be large. Uses the system's `rm`, which descends folder by folder: paths may be too long
   * for system calls, and folders may be closed to their owner. Links are removed, not followed.
   */
  async remove(): Promise<void> {
    const isGone = this.path.endsWith(goneEnd)
    // The first name goes first: if this is cut off, the note is still there for the next try.
    for (const place of [...(isGone ? [this.path.slice(0, -goneEnd.length)] : []), this.path]) {
      const away = () => tool('rm', ['-rf', '--', place])
      await away().catch(async () => {
        await tool('chmod', ['-R', 'u+rwx', '--', place]).catch(() => {})
        await away()
      })
    }
  }

  #read(name: string): string | null {
    try {
      return readFileSync(this.place(name), 'utf8')
    } catch {
      return null
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // No sandbox was ever started.
    return []
  }
}
