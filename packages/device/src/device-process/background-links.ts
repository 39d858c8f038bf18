import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { lockHolder } from '@farhand/sync/state/lock-state'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { z } from 'zod'
import { deviceFolder } from './device-folder.ts'
import { LinkStatus } from './device-protocol.ts'

const kept = { since: z.number(), words: z.array(z.string()) }
const BackgroundLink = z.discriminatedUnion('is', [
  z.object({ is: z.literal('live'), ...kept }),
  z.object({ is: z.literal('paused'), ...kept }),
  z.object({ is: z.literal('failed'), ...kept, message: z.string(), nextStep: z.string() }),
])

/** The wanted state of a background link, since when, and its flags. A failed link waits for the user. */
export type BackgroundLink = z.infer<typeof BackgroundLink>

// These flags decide conflicts of the first sync only: later they would decide other conflicts.
const onlyAtFirst = ['--mine', '--theirs']

/**
 * What is wanted of the background links of this machine (kept.json): on disk, so that a new device process goes on with it.
 * How a link is says its device process; only a link that is a process of its own writes that down (now.json).
 */
export class BackgroundLinks {
  readonly state: StateFolder

  constructor(state: StateFolder) {
    this.state = state
  }

  /** Null if the folder is not linked in the background. */
  find(folder: string): BackgroundLink | null {
    return BackgroundLink.safeParse(read(this.#linkFile(folder))).data ?? null
  }

  /** All background links, paused and failed ones included. */
  all(): { folder: string; url: string; kept: BackgroundLink }[] {
    return this.state.links().flatMap(({ folder, url }) => {
      const kept = this.find(folder)
      return kept ? [{ folder, url, kept }] : []
    })
  }

  set(folder: string, kept: BackgroundLink): void {
    mkdirSync(this.state.placeOf(folder), { recursive: true, mode: 0o700 })
    write(this.#linkFile(folder), kept)
  }

  /** Ends the background link, because the run is closed or the user unlinked it. */
  drop(folder: string): void {
    rmSync(this.#linkFile(folder), { force: true })
  }

  /** Called after the first complete sync. */
  dropFirstSyncFlags(folder: string): void {
    const kept = this.find(folder)
    if (!kept?.words.some((word) => onlyAtFirst.includes(word))) return
    this.set(folder, { ...kept, words: kept.words.filter((word) => !onlyAtFirst.includes(word)) })
  }

  /** Marks a live link as failed until the user resumes it. */
  fail(folder: string, { message, nextStep }: { message: string; nextStep: string }, now: number): void {
    const kept = this.find(folder)
    if (kept?.is !== 'live') return
    this.set(folder, { is: 'failed', since: now, words: kept.words, message, nextStep })
  }

  /** The process that has this folder locked; null if none has. */
  holder(folder: string): number | null {
    return lockHolder(this.state.placeOf(folder))
  }

  /** The process that keeps this folder in sync in the background: the device process, or one of an older version. */
  backgroundHolder(folder: string): number | null {
    const pid = this.holder(folder)
    const isBackground = pid === lockHolder(deviceFolder(this.state.root)) || this.status(folder)?.isKept
    return isBackground ? pid : null
  }

  /** The status of that process: a link in a terminal, or one of an older version; null if it has written none. */
  status(folder: string): LinkStatus | null {
    const now = LinkStatus.safeParse(read(this.#statusFile(folder))).data ?? null
    return now?.pid === this.holder(folder) ? now : null
  }

  /** Throws if the folder's state was deleted: it must not come back. */
  writeStatus(folder: string, now: LinkStatus): void {
    write(this.#statusFile(folder), now)
  }

  #linkFile(folder: string): string {
    return path.join(this.state.placeOf(folder), 'kept.json')
  }

  #statusFile(folder: string): string {
    return path.join(this.state.placeOf(folder), 'now.json')
  }
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Not there, or not ours.
    return null
  }
}

function write(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}
