import { sleep } from '@farhand/kit/sleep'
import type { BackgroundLink, BackgroundLinks } from './background-links.ts'
import { addDeath, type Deaths, decideKeeping } from './decide-keeping.ts'

export type LinkSupervisorOptions = {
  kept: BackgroundLinks
  /** The program's: what is kept by an older one is taken over. */
  version: string
  /** Starts what keeps a folder; it lives on without us. */
  start: (folder: string, kept: BackgroundLink) => { pid: number | undefined; ended: Promise<void> }
  /** What a person is told about a folder that is given up. */
  gaveUp: (folder: string, times: number) => { message: string; nextStep: string }
  /** Whether this machine still wants exactly this supervisor. */
  isWanted: () => boolean
  /** How long it waits for something to keep before it ends. */
  idleMs?: number
}

/** What is known of one folder from one look to the next. */
type Known = { since: number; deaths: Deaths | null; held: { pid: number; from: number } | null }

const roundMs = 2_000

/**
 * Sees to it that each folder that should be kept in sync has a process that does so, however that was started, until
 * there is nothing to keep. All it has to know is on disk: the next one goes on where it was killed.
 */
export class LinkSupervisor {
  readonly #options: LinkSupervisorOptions
  readonly #known = new Map<string, Known>()
  /** Those that we have started and that have not ended. */
  readonly #ours = new Map<string, number>()
  /** Those that were told to end. */
  readonly #ending = new Set<number>()
  #ring: () => void = () => {}
  #isRung = false

  constructor(options: LinkSupervisorOptions) {
    this.#options = options
  }

  /** Something may have changed: it is looked at now. */
  look(): void {
    this.#isRung = true
    this.#ring()
  }

  /** How often in a row each folder's process has died without a word, and when it is started again. */
  deaths(): Record<string, Deaths> {
    const all = [...this.#known].flatMap(([folder, { deaths }]) => (deaths ? [[folder, deaths]] : []))
    return Object.fromEntries(all)
  }

  /** Resolves when there has been nothing to keep for a while, or nobody wants it any more; what it kept lives on. */
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
        // Asked to end.
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

  /** Looks at every folder once, and gives how long to wait at most before the next time. */
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

  /** Notices who has come and who has died since the last look. */
  #take(folder: string, wanted: BackgroundLink, holder: number | null, at: number): Known {
    const before = this.#known.get(folder)
    // Whoever wants it anew has done something about it.
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
    // One that could not even be started has died at once.
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

  /** That there is no room on the disk is no reason to let go of all the others. */
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
      // It cannot be written down now; the next look tries again.
    }
  }

  #end(pid: number): void {
    if (this.#ending.has(pid)) return
    this.#ending.add(pid)
    try {
      process.kill(pid)
    } catch {
      // It has ended by itself.
    }
  }

  #endAll(): void {
    // Only those that we have started: without the locks nobody can say whose number another one is by now.
    for (const pid of this.#ours.values()) this.#end(pid)
  }
}
