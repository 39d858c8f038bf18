import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Trouble } from '../trouble/trouble.ts'
import type { LocalHub } from './local-hub.ts'
import type { HubData, StopParts } from './local-hub-parts.ts'
import { identityOf, isGoneWithin, isThere, type ProcessId } from './process-identity.ts'

/** Longer than a hub takes to finish its requests. */
const mostMs = 15_000
const killedWithinMs = 5_000
const glanceMs = 500

/** A running hub. `url` is null if the hub could not write its address file, as on a full disk. */
export type FoundLocalHub = { url: string | null; pid: number }
type Lockable = Pick<HubData, 'loadLock'>
export type StoppedLocalHub = FoundLocalHub & { isKilled: boolean }

/**
 * Stops the hub if it runs; resolves when it has ended. A hub that does not end is killed: exactly the process that
 * holds the lock of the data, never another one that got its process id.
 */
export async function stopLocalHub(
  hub: LocalHub,
  { hubData, stop, whileWaiting }: StopParts,
  patienceMs = mostMs,
): Promise<StoppedLocalHub | null> {
  const found = await running(hub, hubData)
  if (!found) return null
  const { url, id } = found
  signal(id, 'SIGTERM')
  const since = Date.now()
  await whileWaiting('stops', async () => {
    // Waits for the lock, not for the process: where no process reaps zombies, it would seem to run for ever.
    while ((await isTaken(hub, hubData)) && Date.now() - since < patienceMs)
      await pause(20, undefined, { signal: stop })
  })
  const stopped = { url, pid: id.pid }
  if (!(await isTaken(hub, hubData))) return { ...stopped, isKilled: false }
  const holders = lockHolders(hub.data)
  const isStillIt = holders.length === 0 || holders.some(({ pid }) => pid === id.pid)
  if (!isStillIt) throw doesNotEnd(hub, found)
  signal(id, 'SIGKILL')
  if (!(await isGone(id, hub, hubData))) throw doesNotEnd(hub, found)
  // It counts as stopped, not as died: nothing may restart it automatically.
  hub.forgetAddress()
  return { ...stopped, isKilled: true }
}

/** The running hub. The lock proves it: the address file of a killed hub may name an unrelated process. */
export async function findRunningHub(hub: LocalHub, hubData: Lockable): Promise<FoundLocalHub | null> {
  const found = await running(hub, hubData)
  return found && { url: found.url, pid: found.id.pid }
}

/** Where the system does not tell the start time of a process, its id alone must do. */
type Id = ProcessId | { pid: number; since: null }
type Found = { url: string | null; id: Id }

async function running(hub: LocalHub, hubData: Lockable): Promise<Found | null> {
  if (!(await isTaken(hub, hubData))) return null
  const said = hub.running
  const holders = lockHolders(hub.data)
  const itself = holders.find(({ pid }) => pid === said?.pid)
  if (said && (itself || holders.length === 0))
    return { url: said.url, id: itself ?? identityOf(said.pid) ?? { pid: said.pid, since: null } }
  // Other processes hold the lock for a moment when they check whether a hub has it.
  await pause(glanceMs)
  const now = lockHolders(hub.data)
  const [lasting] = holders.filter(({ pid, since }) =>
    now.some((one) => one.pid === pid && one.since === since),
  )
  return lasting ? { url: null, id: lasting } : null
}

const isIt = (id: Id): boolean => id.since === null || isThere(id)

async function isGone(id: Id, hub: LocalHub, hubData: Lockable): Promise<boolean> {
  if (id.since !== null) return isGoneWithin(id, killedWithinMs)
  const since = Date.now()
  while ((await isTaken(hub, hubData)) && Date.now() - since < killedWithinMs) await pause(20)
  return !(await isTaken(hub, hubData))
}

function signal(id: Id, name: NodeJS.Signals): void {
  if (!isIt(id)) return
  try {
    process.kill(id.pid, name)
  } catch (error) {
    // It has ended since.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const doesNotEnd = (hub: LocalHub, { url, id }: Found) =>
  new Trouble(
    'failed',
    `The hub${url === null ? '' : ` at ${url}`} (process ${id.pid}) does not stop.`,
    `${hub.log} may say why.`,
  )

async function isTaken({ data }: LocalHub, hubData: Lockable): Promise<boolean> {
  const lock = (await hubData.loadLock())(data)
  if (lock === 'taken') return true
  lock.release()
  return false
}

/** The processes that hold the lock of a data folder, from /proc/locks; none on other systems. */
export function lockHolders(data: string): ProcessId[] {
  try {
    const lock = statSync(path.join(data, 'lock.sqlite'))
    const pids = lockingPids(readFileSync('/proc/locks', 'utf8'), lock.ino)
    // /proc/locks has only inode numbers, which can be the same on two disks.
    return pids.filter((pid) => hasOpen(pid, lock)).flatMap((pid) => identityOf(pid) ?? [])
  } catch {
    return []
  }
}

/** The processes with a write lock on this inode, from the text of /proc/locks. */
export function lockingPids(table: string, inode: number): number[] {
  // "1: POSIX  ADVISORY  WRITE 1234 fe:01:5678 0 EOF"; a process that waits for a lock has an arrow before the kind.
  const row = /^\d+: (?:POSIX|OFDLCK)\s+\w+\s+WRITE (\d+) [\da-f]+:[\da-f]+:(\d+) /gm
  const holders = [...table.matchAll(row)].filter(([, , locked]) => Number(locked) === inode)
  return [...new Set(holders.map(([, pid]) => Number(pid)))]
}

function hasOpen(pid: number, { dev, ino }: { dev: number; ino: number }): boolean {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).some((fd) => {
    const open = statSync(path.join(folder, fd), { throwIfNoEntry: false })
    return open?.dev === dev && open.ino === ino
  })
}
