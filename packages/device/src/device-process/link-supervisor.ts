import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'
import { lockState } from '@farhand/sync/state/lock-state'
import type { BackgroundLink, BackgroundLinks } from './background-links.ts'
import { addDeath, type Deaths, decideKeeping } from './decide-keeping.ts'
import type { LinkEnd, LinkEvent, LinkedRun, LinkStatus, WatchEvent } from './device-protocol.ts'
import { linkEnd } from './link-end.ts'
import { type LinkStart, LinkThread, type LinkThreads, warmLinkThread } from './link-thread.ts'

type ThreadEnd = LinkEnd | { is: 'stopped' }
type Failure = Extract<LinkEnd, { is: 'failed' }>

export type LinkSupervisorOptions = {
  kept: BackgroundLinks
  /** The version of this program: link processes of older versions are replaced. */
  version: string
  threads: LinkThreads
  /** The messages for the user: about a folder that is given up, and one that another process has. */
  words: {
    gaveUp: (folder: string, times: number) => { message: string; nextStep: string }
    taken: (folder: string, pid: number) => Omit<Failure, 'is'>
  }
  log: (line: string) => void
  /** Whether this process still holds the lock of the device process. */
  isWanted: () => boolean
  /** How many commands are connected: as long as one is, the process does not end. */
  callers: () => number
  /** How long it waits for a link before it ends. */
  idleMs?: number
  /** How many looks in a row a thread may show no sign of life. */
  mostMissed?: number
  lookMs?: number
}

type Running = {
  /** Null while it is being started. */
  thread: LinkThread | null
  from: number
  run: string | null
  status: LinkStatus | null
  /** What a command hears that follows the link from now on. */
  said: Map<LinkEvent['is'], LinkEvent>
  isEnding: boolean
  /** Resolves when the thread has ended, and the folder is free. */
  over: Promise<void>
}

/** What is known of one folder. */
type Known = { since: number; deaths: Deaths | null; running: Running | null }

type Hear = (event: LinkEvent) => void

/** How soon the folder of a process is looked at that was told to end: until then nothing keeps it in sync. */
const endingMs = 50
const usually = { idleMs: 1_500, lookMs: 2_000, mostMissed: 30 }

/**
 * Keeps each live link in sync in a thread of its own, until there are no live links. What is wanted is on disk: a new
 * device process goes on where this one was killed.
 */
export class LinkSupervisor {
  readonly #options: LinkSupervisorOptions & typeof usually
  readonly #known = new Map<string, Known>()
  readonly #followers = new Map<string, Set<Hear>>()
  readonly #watchers = new Set<(event: WatchEvent) => void>()
  /** Link processes of older versions that were told to end. */
  readonly #ending = new Set<number>()
  #spare: ReturnType<typeof warmLinkThread> | null = null
  #isRung = true
  #isOver = false
  #ring: () => void = () => {}

  constructor(options: LinkSupervisorOptions) {
    this.#options = { ...usually, ...options }
    // Its first folder need not wait for its thread.
    this.#spare = this.#warm()
  }

  /** Compares all folders with what is wanted on disk. */
  look(): void {
    this.#isRung = true
    this.#ring()
  }

  /** The unexpected deaths of each folder's thread, and when it is started again. */
  deaths(): Record<string, Deaths> {
    const all = [...this.#known].flatMap(([folder, { deaths }]) => (deaths ? [[folder, deaths]] : []))
    return Object.fromEntries(all)
  }

  /** Links a folder that is wanted live, and follows it; rejects if this process is about to end. */
  async link(folder: string, run: LinkedRun, once: readonly string[], hear: Hear): Promise<() => void> {
    const { kept, words } = this.#options
    // The command asks again, and its next request starts the next process.
    if (this.#isOver) throw new Error('this process is ending')
    const other = this.#known.get(folder)?.running
    if (other?.isEnding) await other.over
    else if (other && other.run !== run.at.run)
      hear({ is: 'ended', end: { is: 'failed', ...words.taken(folder, process.pid) } })
    const end = this.follow(folder, hear)
    const wanted = kept.find(folder)
    if (wanted?.is === 'live' && !this.#isOver && !this.#known.get(folder)?.running)
      this.#start(folder, wanted, run, once)
    return end
  }

  /** Tells what happened to a folder so far and what happens from now on; returns a function that ends this. */
  follow(folder: string, hear: Hear): () => void {
    const followers = this.#followers.get(folder) ?? new Set()
    this.#followers.set(folder, followers.add(hear))
    const running = this.#known.get(folder)?.running
    for (const event of running?.said.values() ?? []) hear(event)
    if (!running) this.#tellEnd(folder)
    return () => void followers.delete(hear)
  }

  /** Tells the status of all folders, and then each change; returns a function that ends this. */
  watch(hear: (event: WatchEvent) => void): () => void {
    const folders = [...this.#known].flatMap(([folder, { running }]) =>
      running?.status ? [[folder, running.status] as const] : [],
    )
    this.#watchers.add(hear)
    hear({ is: 'folders', folders: Object.fromEntries(folders) })
    return () => void this.#watchers.delete(hear)
  }

  /** Resolves when no thread has a folder that is not wanted any more. */
  async settle(folder: string): Promise<void> {
    this.#round(Date.now())
    const running = this.#known.get(folder)?.running
    if (running?.isEnding) await running.over
  }

  /** Resolves when there has been no live link for a while, or the lock is lost. */
  async run(signal: AbortSignal): Promise<void> {
    const { kept, isWanted, callers, idleMs, lookMs } = this.#options
    let idleSince: number | null = null
    let nextRound = 0
    let stuckLookAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted && isWanted()) {
      const at = Date.now()
      // Rounds may follow each other faster than a thread shows signs of life.
      if (performance.now() - stuckLookAt >= lookMs) {
        stuckLookAt = performance.now()
        this.#endStuck()
      }
      if (this.#isRung || at >= nextRound) nextRound = at + this.#round(at)
      const isIdle =
        callers() === 0 && this.#running().length === 0 && kept.all().every((one) => one.kept.is !== 'live')
      idleSince = isIdle ? (idleSince ?? performance.now()) : null
      if (idleSince !== null && performance.now() - idleSince >= idleMs) break
      const waitMs = Math.min(Math.max(0, nextRound - at), isIdle ? idleMs : lookMs)
      await sleep(waitMs, { signal, wake: (ring) => this.#onRing(ring) })
        // The signal was aborted.
        .catch(() => {})
    }
    await this.#endAll()
  }

  #onRing(ring: () => void): () => void {
    this.#ring = ring
    if (this.#isRung) ring()
    return () => {
      this.#ring = () => {}
    }
  }

  #running(): [string, Running][] {
    return [...this.#known].flatMap(([folder, { running }]) => (running ? [[folder, running] as const] : []))
  }

  /** Checks every link once; returns after how many ms the next round is due. */
  #round(at: number): number {
    this.#isRung = false
    const { kept, version, lookMs } = this.#options
    const all = kept.all()
    for (const [folder, known] of this.#known) {
      if (all.some((one) => one.folder === folder)) continue
      if (!known.running) this.#known.delete(folder)
      // One that is linked for the first time saves its link itself, a moment later.
      else if (kept.find(folder)?.is !== 'live') this.#endThread(known.running)
    }
    let waitMs = Number.POSITIVE_INFINITY
    for (const { folder, url, kept: wanted } of all) {
      const known = this.#know(folder, wanted)
      const { running, deaths } = known
      const other = running ? null : kept.holder(folder)
      const now = running ? running.status : kept.status(folder)
      const holder = running ? 'thread' : other
      const action = decideKeeping({ kept: wanted, url, holder, now, deaths }, at, version)
      if (action.do === 'start') this.#start(folder, wanted, null, [])
      if (action.do === 'end') running ? this.#endThread(running) : this.#endProcess(other!)
      if (action.do === 'give-up') this.#giveUp(folder, action.times, at)
      if (action.do === 'wait') waitMs = Math.min(waitMs, Math.max(0, action.until - at))
      // Another process does not tell when it ends: a link in a terminal, or one of an older version.
      if (other !== null) waitMs = Math.min(waitMs, this.#ending.has(other) ? endingMs : lookMs)
    }
    return waitMs
  }

  #know(folder: string, wanted: BackgroundLink): Known {
    const before = this.#known.get(folder)
    // The user resumed the link: earlier deaths no longer count.
    const isSame = before?.since === wanted.since
    const deaths = isSame ? before.deaths : null
    const known: Known = { since: wanted.since, deaths, running: before?.running ?? null }
    this.#known.set(folder, known)
    return known
  }

  #start(folder: string, wanted: BackgroundLink, run: LinkedRun | null, once: readonly string[]): void {
    const { kept, words } = this.#options
    const known = this.#know(folder, wanted)
    try {
      const lock = lockState(kept.state.placeOf(folder))
      if ('holder' in lock) {
        this.#tell(folder, {
          is: 'ended',
          end: { is: 'failed', ...words.taken(folder, lock.holder) },
        })
        return
      }
      const start: LinkStart = { folder, run, words: [...wanted.words, ...once] }
      known.running = this.#begin(start, lock)
    } catch (error) {
      // A failed start, as on a full disk, counts as a death and must not end the supervisor.
      this.#died(folder, known, 0, error)
    }
  }

  #begin(start: LinkStart, lock: { release(): void }): Running {
    const { folder } = start
    let over = () => {}
    const running: Running = {
      thread: null,
      from: Date.now(),
      run: start.run?.at.run ?? this.#options.kept.state.find(folder)?.at.run ?? null,
      status: null,
      said: new Map(),
      isEnding: false,
      over: new Promise((resolve) => {
        over = resolve
      }),
    }
    const listener = {
      heard: (event: LinkEvent) => {
        running.said.set(event.is, event)
        this.#tell(folder, event)
      },
      status: (status: LinkStatus) => {
        running.status = status
        this.#watched({ is: 'folder', folder, status })
      },
      ended: (end: ThreadEnd | null, error: Error | null) => {
        lock.release()
        over()
        this.#threadEnded(folder, running, end, error)
      },
    }
    const begun = this.#spare ?? this.#warm()
    this.#spare = null
    void begun.then(
      (warm) => {
        running.thread = new LinkThread(warm, start, listener)
        if (running.isEnding) running.thread.stop()
      },
      (error: Error) => listener.ended(null, error),
    )
    return running
  }

  #warm(): ReturnType<typeof warmLinkThread> {
    const begun = warmLinkThread(this.#options.threads)
    begun.catch(() => {})
    return begun
  }

  #threadEnded(folder: string, running: Running, end: ThreadEnd | null, error: Error | null): void {
    const { kept } = this.#options
    const known = this.#known.get(folder)
    if (known?.running === running) known.running = null
    this.#watched({ is: 'folder', folder, status: null })
    try {
      if (!running.isEnding && known) {
        if (end === null) {
          this.#died(folder, known, Date.now() - running.from, error)
          // It has died before it saved to which run it is linked: only the command can try again.
          if (!kept.state.find(folder)) this.#giveUp(folder, 1, Date.now())
        } else if (end.is === 'run-closed') kept.drop(folder)
        else if (end.is === 'failed') kept.fail(folder, end, Date.now())
      }
      if (end?.is === 'failed' && !running.isEnding) this.#tell(folder, { is: 'ended', end })
      else this.#tellEnd(folder)
    } catch (failed) {
      // It cannot be written down why it ended: it is tried again.
      if (known) this.#died(folder, known, 0, failed)
    }
    this.look()
  }

  #died(folder: string, known: Known, livedMs: number, error: unknown): void {
    known.deaths = addDeath(known.deaths, livedMs, Date.now())
    this.#options.log(
      `${folder}: ${error instanceof Error ? error.stack : (error ?? 'its thread was ended')}`,
    )
    this.look()
  }

  #giveUp(folder: string, times: number, at: number): void {
    const { kept, words } = this.#options
    try {
      kept.fail(folder, words.gaveUp(folder, times), at)
      this.#tellEnd(folder)
    } catch {
      // It cannot be written now; the next round tries again.
    }
  }

  /** A thread that shows no sign of life would keep its folder for ever. */
  #endStuck(): void {
    for (const [folder, { thread, isEnding }] of this.#running()) {
      if (!thread || isEnding || thread.missedBeats() < this.#options.mostMissed) continue
      if (thread.kill()) this.#options.log(`${folder}: its thread is stuck`)
    }
  }

  #endThread(running: Running): void {
    if (running.isEnding) return
    running.isEnding = true
    running.thread?.stop()
  }

  #endProcess(pid: number): void {
    if (this.#ending.has(pid)) return
    this.#ending.add(pid)
    try {
      process.kill(pid)
    } catch {
      // It has already ended.
    }
  }

  async #endAll(): Promise<void> {
    this.#isOver = true
    const all = this.#running().map(([, running]) => running)
    for (const one of all) this.#endThread(one)
    await Promise.all(all.map(({ over }) => over))
  }

  /** Tells why a folder is not kept in sync any more, if it is not. */
  #tellEnd(folder: string): void {
    const end = linkEnd(folder, this.#options.kept)
    if (end) this.#tell(folder, { is: 'ended', end })
  }

  #tell(folder: string, event: LinkEvent): void {
    for (const hear of this.#followers.get(folder) ?? []) hear(event)
  }

  #watched(event: WatchEvent): void {
    for (const hear of this.#watchers) hear(event)
  }
}
