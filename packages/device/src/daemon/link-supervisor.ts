import { sleep } from '@farhand/kit/sleep'
import type { BackgroundLink, BackgroundLinks } from './background-links.ts'
import { addDeath, type Deaths, decideKeeping } from './decide-keeping.ts'

export type LinkSupervisorOptions = {
  kept: BackgroundLinks
  /** The version of this program: link processes of older versions are replaced. */
  version: string
  /** Starts the link process of a folder, which outlives the daemon. */
  start: (folder: string, kept: BackgroundLink) => { pid: number | undefined; ended: Promise<void> }
  /** The message for the user about a folder that is given up. */
  gaveUp: (folder: string, times: number) => { message: string; nextStep: string }
  /** Whether this process still holds the daemon's lock. */
  isWanted: () => boolean
  /** How long it waits for a link before it ends. */
  idleMs?: number
}

/** What is known of one folder from one round to the next. */
type Known = { since: number; deaths: Deaths | null; held: { pid: number; from: number } | null }

const roundMs = 2_000

/**
 * Gives each live link a process, however it was started, until there are no live links. All state is on disk: a new
 * supervisor goes on where this one was killed.
 */
export class LinkSupervisor {
  readonly #options: LinkSupervisorOptions
  readonly #known = new Map<string, Known>()
  /** Processes that this supervisor started and that have not ended. */
  readonly #ours = new Map<string, number>()
  /** Processes that were told to end. */
  readonly #ending = new Set<number>()
  #ring: () => void = () => {}
  #isRung = false

  constructor(options: LinkSupervisorOptions) {
    this.#options = options
  }

  /** Checks all links now. */
  look(): void {
    this.#isRung = true
    this.#ring()
  }

  /** The unexpected deaths of each folder's process, and when it is started again. */
  deaths(): Record<string, Deaths> {
    const all = [...this.#known].flatMap(([folder, { deaths }]) => (deaths ? [[folder, deaths]] : []))
    return Object.fromEntries(all)
  }

  /**
   * Resolves when there has been no live link for a while, or the daemon's lock is lost; the link processes live on.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { kept, idleMs = 1_500, isWanted } = this.#options
    let idleSince: number | null = null
    while (!signal.aborted) {
      if (!isWanted()) return this.#endAll()
      this.#isRung = false
      const waitMs = this.#round(Date.now())
      const isIdle = this.#ours.size === 0 && kept.all().every((one) => one.kept.is !== 'live')
      idleSince = isIdle ? (idleSince ?? performance.now()) : null
      if (idleSince !== null && performance.now() - idleSince >= idleMs) return
      await sleep(Math.min(waitMs, isIdle ? idleMs : roundMs), { signal, wake: (ring) => this.#onRing(ring) })
        // The signal was aborted.
        .catch(() => {})
    }
  }

  #onRing(ring: () => void): () => void {
    this.#ring = ring
    if (this.#isRung) ring()
    return () => {
      this.#ring = () => {}
    }
  }

  /** Checks every link once; returns how long to wait at most before the next round. */
  #round(at: number): number {
    const { kept, version } = this.#options
    const all = kept.all()
    for (const folder of this.#known.keys())
      if (!all.some((one) => one.folder === folder)) this.#known.delete(folder)
    let waitMs = roundMs
    for (const { folder, url, kept: wanted } of all) {
      const holder = kept.holder(folder) ?? this.#ours.get(folder) ?? null
      const { deaths } = this.#take(folder, wanted, holder, at)
      const action = decideKeeping(
        { kept: wanted, url, holder, now: kept.status(folder), deaths },
        at,
        version,
      )
      if (action.do === 'start') this.#start(folder, wanted, at)
      if (action.do === 'end') this.#end(action.pid)
      if (action.do === 'give-up') this.#giveUp(folder, action.times, at)
      if (action.do === 'wait') waitMs = Math.min(waitMs, Math.max(0, action.until - at))
    }
    return waitMs
  }

  /** Updates which process has the folder, and counts deaths. */
  #take(folder: string, wanted: BackgroundLink, holder: number | null, at: number): Known {
    const before = this.#known.get(folder)
    // The user resumed the link: earlier deaths no longer count.
    const isSame = before?.since === wanted.since
    const known: Known = isSame ? before : { since: wanted.since, deaths: null, held: before?.held ?? null }
    this.#known.set(folder, known)
    const { held } = known
    if (held && held.pid !== holder && wanted.is === 'live' && isSame && !this.#ending.delete(held.pid))
      known.deaths = addDeath(known.deaths, at - held.from, at)
    if (held?.pid !== holder) known.held = holder === null ? null : { pid: holder, from: at }
    return known
  }

  #start(folder: string, wanted: BackgroundLink, at: number): void {
    const { pid, ended } = this.#begin(folder, wanted)
    const known = this.#known.get(folder)!
    // A failed start counts as a death.
    if (pid === undefined) known.deaths = addDeath(known.deaths, 0, at)
    else {
      this.#ours.set(folder, pid)
      known.held = { pid, from: at }
    }
    void ended.then(() => {
      if (this.#ours.get(folder) === pid) this.#ours.delete(folder)
      this.look()
    })
  }

  /** A failed start, as on a full disk, must not end the supervisor. */
  #begin(folder: string, wanted: BackgroundLink): ReturnType<LinkSupervisorOptions['start']> {
    try {
      return this.#options.start(folder, wanted)
    } catch {
      return { pid: undefined, ended: Promise.resolve() }
    }
  }

  #giveUp(folder: string, times: number, at: number): void {
    const { kept, gaveUp } = this.#options
    try {
      kept.fail(folder, gaveUp(folder, times), at)
    } catch {
      // It cannot be written now; the next round tries again.
    }
  }

  #end(pid: number): void {
    if (this.#ending.has(pid)) return
    this.#ending.add(pid)
    try {
      process.kill(pid)
    } catch {
      // It has already ended.
    }
  }

  #endAll(): void {
    // Only processes that this supervisor started: without the locks, other process ids may have been reused.
    for (const pid of this.#ours.values()) this.#end(pid)
  }
}
