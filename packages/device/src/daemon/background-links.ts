import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { lockHolder } from '@farhand/sync/state/lock-state'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { z } from 'zod'

const kept = { since: z.number(), words: z.array(z.string()) }
const BackgroundLink = z.discriminatedUnion('is', [
  z.object({ is: z.literal('live'), ...kept }),
  z.object({ is: z.literal('paused'), ...kept }),
  z.object({ is: z.literal('failed'), ...kept, message: z.string(), nextStep: z.string() }),
])

/**
 * The wanted state of a background link, since when, and the arguments of its link process. A failed link waits for the
 * user.
 */
export type BackgroundLink = z.infer<typeof BackgroundLink>

const LinkStatus = z.object({
  pid: z.number(),
  version: z.string(),
  url: z.string(),
  isKept: z.boolean(),
  since: z.number(),
  doing: z.discriminatedUnion('is', [
    z.object({ is: z.literal('starting') }),
    z.object({ is: z.literal('in-step'), files: z.number() }),
    z.object({ is: z.literal('busy'), toSend: z.number(), toApply: z.number() }),
    z.object({ is: z.literal('offline'), why: z.string() }),
  ]),
  /** Files that are not synced although no rule excludes them; only the first ones. Older versions write none. */
  skipped: z
    .object({ count: z.number(), some: z.array(z.object({ path: z.string(), why: z.string() })) })
    .optional(),
})

/** The status of a link process, and since when. */
export type LinkStatus = z.infer<typeof LinkStatus>

// These flags decide conflicts of the first sync only: later they would decide other conflicts.
const onlyAtFirst = ['--mine', '--theirs']

/**
 * The background links of this machine: what is wanted (kept.json) and how they are (now.json). All of it is on disk,
 * so that any process can go on.
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

  /** The status of that process; null if it has written none. */
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
