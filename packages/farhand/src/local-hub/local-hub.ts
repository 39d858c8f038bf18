import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { localSocketPath } from '@farhand/hub/local-socket'
import { identityOf } from '@farhand/hub/sandboxes/processes'
import { z } from 'zod'

const Note = z.object({ urls: z.array(z.string()).min(1), token: z.string() })
const Seen = z.record(z.string(), z.string())
const Address = z.object({
  url: z.string(),
  pid: z.number().int().positive(),
  /** When that process began; null where the system does not tell, and not there if an older program wrote it. */
  since: z.string().nullish(),
  sideDoor: z.boolean().optional(),
})

/** Every address that it has had, the newest last, and the token of whoever it was started for. */
export type LocalHubNote = z.infer<typeof Note>

const mostUrls = 20

/** The hub that a user has for themselves, and what is remembered of it: all of that is in its data folder. */
export class LocalHub {
  readonly data: string
  readonly log: string
  readonly #note: string
  readonly #seen: string
  readonly #open: string

  constructor(stateRoot: string) {
    this.data = path.join(stateRoot, 'hub')
    this.log = path.join(this.data, 'hub.log')
    this.#note = path.join(this.data, 'at-hand.json')
    this.#seen = path.join(this.data, 'settings-seen.json')
    this.#open = path.join(this.data, 'open-to-network')
  }

  /** Whether there has ever been one, also if nothing is noted of it. */
  get hasData(): boolean {
    return existsSync(path.join(this.data, 'store.sqlite'))
  }

  get note(): LocalHubNote | null {
    return parsed(this.#note, Note)
  }

  save({ url, token }: { url: string; token: string }): void {
    const before = (this.note?.urls ?? []).filter((one) => one !== url)
    const note: LocalHubNote = { urls: [...before, url].slice(-mostUrls), token }
    write(this.#note, note)
  }

  /** What tells the settings apart that it was started with; see `settingsFingerprints`. */
  get seen(): Record<string, string> {
    return parsed(this.#seen, Seen) ?? {}
  }

  saveSeen(seen: Record<string, string>): void {
    try {
      write(this.#seen, seen)
    } catch (error) {
      // It may be started once more than it has to be; on a full disk it can at least be read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }

  /** Whether others in the network reach it, from its next start on. */
  get isOpen(): boolean {
    return existsSync(this.#open)
  }

  set isOpen(isOpen: boolean) {
    if (isOpen) writeFileSync(this.#open, '', { mode: 0o600 })
    else rmSync(this.#open, { force: true })
  }

  /** Where it says that it runs; null if it does not, or has died. Only an answer proves it: numbers are given out again. */
  get running(): { url: string; pid: number } | null {
    return runningOn(this.data)
  }

  /** Whether one of an older program runs, which knows nothing of a socket in its data folder. */
  get isDoorless(): boolean {
    const address = parsed(path.join(this.data, 'hub.json'), Address)
    return localSocketPath(this.data) !== null && this.running !== null && address?.sideDoor === undefined
  }

  /** Whether it runs and could not open that socket, so that nobody is going to find it. */
  get isShut(): boolean {
    const address = parsed(path.join(this.data, 'hub.json'), Address)
    return localSocketPath(this.data) !== null && this.running !== null && address?.sideDoor === false
  }

  /** Whether it has ended without having been stopped: then it has left what says where it was. */
  get hasDied(): boolean {
    const address = parsed(path.join(this.data, 'hub.json'), Address)
    return address !== null && !isThere(address)
  }

  /** Takes away what a hub that was killed has left: one that somebody has stopped is not started again by itself. */
  forgetAddress(): void {
    rmSync(path.join(this.data, 'hub.json'), { force: true })
  }

  /** The port that it had last. The first is not one that the system lends to others, and the same for the same folder. */
  get usualPort(): number {
    const last = this.note?.urls.at(-1)
    if (last !== undefined) return Number(new URL(last).port)
    return 17_000 + (createHash('sha256').update(this.data).digest().readUInt16BE() % 10_000)
  }
}

/** Where the hub of a data folder says that it runs, as long as that process is there. */
export function runningOn(data: string): { url: string; pid: number } | null {
  const address = parsed(path.join(data, 'hub.json'), Address)
  // A hub that was killed has left the file.
  return address && isThere(address) ? { url: address.url, pid: address.pid } : null
}

function isThere({ pid, since }: { pid: number; since?: string | null | undefined }): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    // Gone, or of another user by now: whoever answers at its address then must not be given our token.
    return false
  }
  if (process.platform !== 'linux' && since == null) return true
  // Null if it has ended and nobody has taken note: where nobody does, as in many containers, that is for good.
  const now = identityOf(pid)
  return now !== null && (since == null || since === now.since)
}

/** A crash meanwhile leaves what was there before. */
function write(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  } catch (error) {
    // A full disk would be left with the half of it.
    rmSync(draft, { force: true })
    throw error
  }
}

function parsed<Value>(file: string, schema: z.ZodType<Value>): Value | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Not there, or not ours.
    return null
  }
}
