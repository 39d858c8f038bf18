import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { sleep } from '@farhand/kit/sleep'
import { removeCgroups } from './cgroups.ts'
import { endProcesses, isGoneWithin, isThere, type ProcessQuery, processesOf } from './processes.ts'
import { type SandboxFolder, SandboxFolders, type SandboxNote } from './sandbox-folder.ts'
import type { FoundSandbox, SandboxEnd } from './sandbox-host.ts'
import { supervisorScript } from './supervisor-script.ts'

export type Supervised = {
  /** The command. The program has begun when something is written to file descriptor 3. */
  words: readonly string[]
  input: string
  /** Its whole environment. */
  env: Readonly<Record<string, string>>
}

const startMs = 60_000
const endMs = 10_000
const lastWordsMs = 5_000
const lookMs = 100

/**
 * Programs that keep running when the hub ends. Each has a small shell as its parent (the supervisor), which writes into a folder its own
 * identity and how the program ended.
 */
export class SupervisedSandboxes {
  readonly #kind: string
  readonly #folders: SandboxFolders
  /** Supervisors that this process started. Those of earlier hubs are polled. */
  readonly #children = new Map<string, { child: ChildProcess; exit: Promise<void> }>()
  readonly #endings = new Map<string, Promise<SandboxEnd>>()

  constructor(kind: string, root: string) {
    this.#kind = kind
    this.#folders = new SandboxFolders(root)
  }

  /** Resolves when the program runs and has its input. After a failure nothing is left of it. */
  async start(
    note: Omit<SandboxNote, 'kind'>,
    prepare: (folder: SandboxFolder) => Promise<Supervised>,
  ): Promise<void> {
    const folder = this.#folders.make({ ...note, kind: this.#kind })
    try {
      await this.#begin(note.id, folder, await prepare(folder))
    } catch (error) {
      const { lastWords } = await this.#endNow(note.id)
      await this.remove(note.id)
      const why = lastWords.trim() || (error as Error).message
      throw new Error(`The sandbox did not start: ${why}`, { cause: error })
    }
  }

  async #begin(id: string, folder: SandboxFolder, { words, input, env }: Supervised): Promise<void> {
    const child = supervise([folder.path, ...words], env)
    const exit = new Promise<void>((resolve) => {
      child.once('error', () => resolve())
      child.once('exit', () => resolve())
    })
    this.#children.set(id, { child, exit })
    const [stdin, , , begun] = child.stdio as unknown as [Writable, null, null, Readable]
    // If the program ends before it has read everything, its exit is the better error.
    stdin.on('error', () => {})
    begun.on('error', () => {})
    stdin.end(input)
    const handedOver = Promise.all([once(begun, 'data'), once(stdin, 'finish')]).then(() => 'begun')
    const stuck = new AbortController()
    try {
      const late = sleep(startMs, { signal: stuck.signal }).then(() => 'nothing came of it in time')
      const how = await Promise.race([handedOver, exit.then(() => 'it ended at once'), late])
      if (how !== 'begun') throw new Error(how)
      if ([126, 127].includes(folder.code() ?? 0)) throw new Error('its program cannot be run')
    } finally {
      stuck.abort()
      // If it loses the race, its rejection must not count as unhandled.
      handedOver.catch(() => {})
      begun.destroy()
      stdin.destroy()
      // The hub waits for each program's end, but that must not keep the hub's process running.
      child.unref()
    }
  }

  list(): FoundSandbox[] {
    return this.#folders.list().flatMap((folder) => {
      const note = folder.note()
      if (note?.kind !== this.#kind) return []
      return [
        {
          id: note.id,
          run: note.run,
          isRunning: isSupervised(folder) || processesOf(processQueryOf(folder)).length > 0,
        },
      ]
    })
  }

  /** Resolves when the program has ended and the processes that it left running have been ended. */
  ended(id: string): Promise<SandboxEnd> {
    const known = this.#endings.get(id)
    if (known) return known
    const ending = this.#waitForEnd(id).finally(() => this.#endings.delete(id))
    this.#endings.set(id, ending)
    return ending
  }

  /** Ends all processes of a sandbox and removes its files; resolves when nothing is left. */
  async remove(id: string): Promise<void> {
    const folder = this.#folders.find(id)?.rename()
    if (!folder) return
    await this.#endNow(id)
    // A call of `ended` that is still waiting reads the result from this folder.
    await this.#endings.get(id)?.catch(() => {})
    await removeCgroups(folder.note()?.cgroups ?? [])
    await folder.remove()
    this.#children.delete(id)
  }

  async #waitForEnd(id: string): Promise<SandboxEnd> {
    const own = this.#children.get(id)
    if (own) await own.exit
    else while (isSupervised(this.#folders.find(id))) await unheldSleep(lookMs)
    return this.#endNow(id)
  }

  async #endNow(id: string): Promise<SandboxEnd> {
    const folder = this.#folders.find(id)
    if (!folder) return { code: null, signal: null, lastWords: '' }
    const members = processQueryOf(folder)
    const keeper = folder.wordsKeeper()
    // It writes the last output only after all other processes have ended.
    if (keeper) {
      await endProcesses(members, endMs, [keeper.pid])
      await isGoneWithin(keeper, lastWordsMs)
    }
    await endProcesses(members, endMs)
    // `remove` may have renamed the folder meanwhile.
    const last = this.#folders.find(id)
    return { ...howItEnded(last?.code() ?? null), lastWords: last?.lastWords() ?? '' }
  }
}

function supervise(words: readonly string[], env: Supervised['env']): ChildProcess {
  const nothing = openSync('/dev/null', 'r+')
  try {
    return spawn('/bin/sh', ['-c', supervisorScript, 'farhand-sandbox', ...words], {
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore', 'pipe', ...coverInheritedDescriptors(nothing)],
      env: { ...env },
    })
  } finally {
    closeSync(nothing)
  }
}

function isSupervised(folder: SandboxFolder | null): boolean {
  const supervisor = folder?.supervisor()
  if (supervisor) return isThere(supervisor)
  return folder !== null && processesOf(processQueryOf(folder)).length > 0
}

function processQueryOf(folder: SandboxFolder): ProcessQuery {
  const note = folder.note()
  const supervisor = folder.supervisor()
  // After its end, its pid may belong to another process.
  const leader = supervisor && isThere(supervisor) ? supervisor.pid : null
  return { mark: note?.id ?? folder.path, leader, cgroups: note?.cgroups ?? [], eldest: supervisor }
}

/** Shells report a signal as 128 plus its number. */
function howItEnded(code: number | null): Omit<SandboxEnd, 'lastWords'> {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]
  return signal ? { code: null, signal } : { code, signal: null }
}

/** Does not keep the hub's process running. */
const unheldSleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref())

const closeOnExec = 0o2000000
/** Descriptors 0 to 3 are set for each program. */
const firstFree = 4

/**
 * The `stdio` entries for `spawn` from descriptor 4 on. Descriptors that this process has inherited itself would be open in the program
 * too and could leak files into the sandbox. They are replaced by the given one.
 */
function coverInheritedDescriptors(nothing: number): (number | 'ignore')[] {
  const open = inheritable()
  const last = Math.max(firstFree - 1, ...open)
  return Array.from({ length: last - firstFree + 1 }, (_, at) =>
    open.includes(at + firstFree) ? nothing : 'ignore',
  )
}

function inheritable(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number).filter(isInheritable)
  } catch {
    // Only Linux has this folder.
    return []
  }
}

/** Whether a child process inherits it. Node opens none of these itself. */
function isInheritable(fd: number): boolean {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // It was the descriptor through which the list was read.
    return false
  }
}
