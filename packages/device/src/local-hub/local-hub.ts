import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hubSocketPath } from '@farhand/protocol/wire/hub-socket-path'
import { z } from 'zod'
import { identityOf } from './process-identity.ts'

const Note = z.object({ urls: z.array(z.string()).min(1), token: z.string() })
const Seen = z.record(z.string(), z.string())
const Address = z.object({
  url: z.string(),
  pid: z.number().int().positive(),
  /**
   * The start time of that process; null where the system does not tell, missing if an older version wrote the file.
   */
  since: z.string().nullish(),
  sideDoor: z.boolean().optional(),
})

/** All addresses that the hub has had, newest last, and the user's token. */
export type LocalHubNote = z.infer<typeof Note>

const mostUrls = 20

/**
 * The hub that farhand starts for a user without another one, with everything that is recorded about it in its data
 * folder.
 */
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

  /** Whether the hub was ever started, also if nothing is recorded about it. */
  get hasData(): boolean {
    return existsSync(path.join(this.data, 'store.sqlite'))
  }

  /** The path of its socket; null where no socket is possible. */
  get socket(): string | null {
    return hubSocketPath(path.resolve(this.data), process.platform)
  }

  get note(): LocalHubNote | null {
    return parsed(this.#note, Note)
  }

  save({ url, token }: { url: string; token: string }): void {
    const before = (this.note?.urls ?? []).filter((one) => one !== url)
    const note: LocalHubNote = { urls: [...before, url].slice(-mostUrls), token }
    write(this.#note, note)
  }

  /** Fingerprints of the settings that it was started with; see `settingsFingerprints`. */
  get seen(): Record<string, string> {
    return parsed(this.#seen, Seen) ?? {}
  }

  saveFingerprints(seen: Record<string, string>): void {
    try {
      write(this.#seen, seen)
    } catch (error) {
      // A full disk: the hub may be restarted once more than needed, but it can at least be read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }

  /** Whether it listens to the network, from its next start on. */
  get isOpen(): boolean {
    return existsSync(this.#open)
  }

  set isOpen(isOpen: boolean) {
    if (isOpen) writeFileSync(this.#open, '', { mode: 0o600 })
    else rmSync(this.#open, { force: true })
  }

  /**
   * The address and process from its file, while that process exists. Only an answer proves that it is the hub: process
   * ids are reused.
   */
  get running(): { url: string; pid: number } | null {
    return hubRunningOn(this.data)
  }

  /** Whether a hub of an older version runs, which has no local socket. */
  get lacksSocket(): boolean {
    const address = parsed(path.join(this.data, 'hub.json'), Address)
    return this.socket !== null && this.running !== null && address?.sideDoor === undefined
  }

  /** Whether it runs without its socket because it could not create it: then no client can find it. */
  get couldNotOpenSocket(): boolean {
    const address = parsed(path.join(this.data, 'hub.json'), Address)
    return this.socket !== null && this.running !== null && address?.sideDoor === false
  }

  /** Whether it died: a hub that was stopped removes its address file. */
  get hasDied(): boolean {
    const address = parsed(path.join(this.data, 'hub.json'), Address)
    return address !== null && !isThere(address)
  }

  /** Removes the address file of a killed hub: a hub that the user stopped must not be restarted automatically. */
  forgetAddress(): void {
    rmSync(path.join(this.data, 'hub.json'), { force: true })
  }

  /** Its last port. The first one is outside the range of ephemeral ports, and always the same for the same folder. */
  get usualPort(): number {
    const last = this.note?.urls.at(-1)
    if (last !== undefined) return Number(new URL(last).port)
    return 17_000 + (createHash('sha256').update(this.data).digest().readUInt16BE() % 10_000)
  }
}

/** The hub's address and process from a data folder, while that process exists. */
export function hubRunningOn(data: string): { url: string; pid: number } | null {
  const address = parsed(path.join(data, 'hub.json'), Address)
  // A killed hub leaves the file behind.
  return address && isThere(address) ? { url: address.url, pid: address.pid } : null
}

function isThere({ pid, since }: { pid: number; since?: string | null | undefined }): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    // It ended, or its id belongs to another user's process now, which must not get our token.
    return false
  }
  if (process.platform !== 'linux' && since == null) return true
  // Null also for a zombie: in many containers no process reaps them.
  const now = identityOf(pid)
  return now !== null && (since == null || since === now.since)
}

/** Atomic: a crash leaves the old file. */
function write(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  } catch (error) {
    // On a full disk a partial file would stay.
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
