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
 * What is wanted of a folder that is kept in the background, since when, and with which words its link is started.
 * One that failed waits for a person.
 */
export type BackgroundLink = z.infer<typeof BackgroundLink>

const LinkStatus = z.object({
  pid: z.number(),
  version: z.string(),
  /** The hub that it talks to. */
  url: z.string(),
  isKept: z.boolean(),
  since: z.number(),
  doing: z.discriminatedUnion('is', [
    z.object({ is: z.literal('starting') }),
    z.object({ is: z.literal('in-step'), files: z.number() }),
    z.object({ is: z.literal('busy'), toSend: z.number(), toApply: z.number() }),
    z.object({ is: z.literal('offline'), why: z.string() }),
  ]),
  /** What is in the folder and not synced, though no rule says so; the first of them. Older programs say nothing of it. */
  skipped: z
    .object({ count: z.number(), some: z.array(z.object({ path: z.string(), why: z.string() })) })
    .optional(),
})

/** What the process that has a folder says of itself, and since when it does what it does. */
export type LinkStatus = z.infer<typeof LinkStatus>

// Whose files count where both have one is asked once: later it would be an answer to another question.
const onlyAtFirst = ['--mine', '--theirs']

/** What is wanted of the folders of a machine, and how they are. It is on disk, so that whoever comes next goes on. */
export class BackgroundLinks {
  readonly state: StateFolder

  constructor(state: StateFolder) {
    this.state = state
  }

  /** Null if nobody wants it to be kept in the background. */
  find(folder: string): BackgroundLink | null {
    return BackgroundLink.safeParse(read(this.#linkFile(folder))).data ?? null
  }

  /** Every folder that is kept, or would be if it were not paused or had not failed. */
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

  /** It need not be kept any more, as its run is closed or somebody said so. */
  drop(folder: string): void {
    rmSync(this.#linkFile(folder), { force: true })
  }

  /** Folder and run have met. */
  dropFirstSyncFlags(folder: string): void {
    const kept = this.find(folder)
    if (!kept?.words.some((word) => onlyAtFirst.includes(word))) return
    this.set(folder, { ...kept, words: kept.words.filter((word) => !onlyAtFirst.includes(word)) })
  }

  /** It cannot be kept until a person has done something about it. */
  fail(folder: string, { message, nextStep }: { message: string; nextStep: string }, now: number): void {
    const kept = this.find(folder)
    if (kept?.is !== 'live') return
    this.set(folder, { is: 'failed', since: now, words: kept.words, message, nextStep })
  }

  /** The process that has this folder now; null if none has. */
  holder(folder: string): number | null {
    return lockHolder(this.state.placeOf(folder))
  }

  /** What the process that has the folder now says; null if it says nothing. */
  status(folder: string): LinkStatus | null {
    const now = LinkStatus.safeParse(read(this.#statusFile(folder))).data ?? null
    return now?.pid === this.holder(folder) ? now : null
  }

  /** Throws where nothing is remembered of the folder any more: that must not come back. */
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
