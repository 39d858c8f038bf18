import { constants } from 'node:fs'
import { access, mkdtemp, opendir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { type GitEnv, runGit } from '@farhand/device/git/run-git'
import { openapi } from '@farhand/protocol/endpoints/openapi'
import { paths } from '@farhand/protocol/wire/routes'
import { missingPackage } from '../errors/missing-package.ts'
import type { HubFacts, SandboxFacts, StateFacts } from './judge.ts'

// The doctor must not hang on the very thing that is broken.
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

/** Opens a database in a temporary folder; null if that works, else the error. */
export async function lookAtDatabase(): Promise<string | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-doctor-'))
  try {
    const { openSqliteStore } = await import('@farhand/hub/store/sqlite-store')
    await (await openSqliteStore(path.join(folder, 'store.sqlite'))).close()
    return null
  } catch (error) {
    return missingPackage(error)?.message ?? String((error as Error).message)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Tries to start a sandbox, as a hub on this machine would. */
export async function lookAtSandbox(): Promise<SandboxFacts> {
  const { BubblewrapSandboxHost } = await import('@farhand/hub/sandboxes/bubblewrap-sandbox-host')
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-doctor-'))
  try {
    const host = new BubblewrapSandboxHost({ folder, secret: [] })
    return {
      unusable: await host.unusable(),
      strength: await host.strength(),
      kernel: await kernelSettings(),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const settings = [
  'kernel.apparmor_restrict_unprivileged_userns',
  'kernel.unprivileged_userns_clone',
  'user.max_user_namespaces',
]

async function kernelSettings(): Promise<Record<string, string>> {
  const read = settings.map(async (name) => [name, (await setting(name)) ?? 'none'] as const)
  return Object.fromEntries(await Promise.all(read))
}

const setting = (name: string): Promise<string | null> =>
  readFile(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').then(
    (text) => text.trim(),
    () => null,
  )

export async function mostWatches(): Promise<number | null> {
  const said = await setting('fs.inotify.max_user_watches')
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
