import { constants } from 'node:fs'
import { access, opendir, readFile, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { openapi } from '@farhand/protocol/endpoints/openapi'
import { paths } from '@farhand/protocol/wire/routes'
import { type GitEnv, runGit } from '../git/run-git.ts'

export type HubFacts = {
  url: string
  /** Null if it answered. */
  trouble: string | null
  /** Its clock minus ours; null if unknown. */
  aheadMs: number | null
  /** Its protocol version, and ours; null if unknown. */
  speaks: string | null
  we: string
  /** Null if there is no token for it here. */
  isKnown: boolean | null
}

export type StateFacts = { place: string; trouble: string | null; freeBytes: number | null; isOpen: boolean }

// The check must not hang on the very thing that is broken.
const patienceMs = 4_000
const mostFolders = 200_000

export async function lookAtGit(env: GitEnv): Promise<string | null> {
  try {
    const options = { cwd: tmpdir(), env, signal: AbortSignal.timeout(patienceMs) }
    return (await runGit(['--version'], options)).toString('utf8')
  } catch {
    return null
  }
}

/** Whether a hub answers, what its clock says, and whether it accepts this token. */
export async function lookAtHub(hub: Hub, stop: AbortSignal): Promise<HubFacts> {
  const { url, token, fetch = globalThis.fetch } = hub
  const we = String((openapi() as { info: { version: string } }).info.version)
  const ask = (where: string, headers: Record<string, string> = {}) =>
    fetch(url + where, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(patienceMs)]),
    })
  const facts: HubFacts = { url, trouble: null, aheadMs: null, speaks: null, we, isKnown: null }
  try {
    const began = Date.now()
    const health = await ask(paths.healthz())
    const middle = (began + Date.now()) / 2
    await health.body?.cancel()
    const said = Date.parse(health.headers.get('date') ?? '')
    // The Date header has whole seconds: on average half a second is missing.
    if (!Number.isNaN(said)) facts.aheadMs = said + 500 - middle
    const document = await ask(paths.openapi())
    const read = document.ok ? ((await document.json().catch(() => null)) as Described) : null
    facts.speaks = read?.info?.version ?? null
    if (token !== undefined) {
      const me = await ask(paths.me(), { authorization: `Bearer ${token}` })
      await me.body?.cancel()
      facts.isKnown = me.status !== 401
    }
  } catch (error) {
    stop.throwIfAborted()
    facts.trouble = whyNot(error)
  }
  return facts
}

type Described = { info?: { version?: string } } | null

function whyNot(error: unknown): string {
  const { cause, message, name } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no answer within ${patienceMs / 1000} s`
  return cause?.code ?? cause?.message ?? message
}

/** Whether the state folder can be written, or created. */
export async function lookAtState(place: string): Promise<StateFacts> {
  const facts: StateFacts = { place, trouble: null, freeBytes: null, isOpen: false }
  const there = await nearest(place)
  try {
    await access(there, constants.W_OK | constants.X_OK)
    const { mode } = await stat(there)
    facts.isOpen = there === place && process.platform !== 'win32' && (mode & 0o077) !== 0
  } catch (error) {
    facts.trouble = (error as NodeJS.ErrnoException).code ?? String(error)
  }
  const disk = await statfs(there).catch(() => null)
  if (disk) facts.freeBytes = disk.bavail * disk.bsize
  return facts
}

async function nearest(place: string): Promise<string> {
  const isThere = await stat(place).then(
    () => true,
    () => false,
  )
  return isThere || path.dirname(place) === place ? place : nearest(path.dirname(place))
}

/** A setting of the Linux kernel; null where there is none. */
export const kernelSetting = (name: string): Promise<string | null> =>
  readFile(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').then(
    (text) => text.trim(),
    () => null,
  )

export async function mostWatches(): Promise<number | null> {
  const said = await kernelSetting('fs.inotify.max_user_watches')
  return said === null ? null : Number(said)
}

/** About how many folders these contain; ignored large ones are left out, and the count stops at a limit. */
export async function countFolders(roots: readonly string[], signal: AbortSignal): Promise<number> {
  let count = 0
  const queue = [...roots]
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    if (signal.aborted || count >= mostFolders) break
    count += 1
    try {
      for await (const entry of await opendir(folder))
        if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules')
          queue.push(path.join(folder, entry.name))
    } catch {
      // A folder that cannot be read is not watched either.
    }
  }
  return count
}
