import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { withProgress } from '../processes/progress.mjs'
import { runQuietly } from '../processes/run-quietly.ts'
import { takeTurns } from '../processes/take-turns.mjs'

export type Machine = {
  isRoot: boolean
  has(program: string): boolean
  /** Whether an install of the package was begun and not finished: its program may exist and not start. */
  isHalf(name: string): boolean
  /** Resolves when the command has succeeded; throws its output, or that it was ended because it took longer than `mostMs`. */
  run(words: readonly string[], mostMs?: number): Promise<void>
  lock: string
  out: NodeJS.WriteStream
  pause(ms: number): Promise<unknown>
  now(): number
  /** Why a package could not be installed, for later callers in this test run, also in processes that a test starts. */
  refused: { of(name: string): string | null; note(name: string, why: string): void }
}

/** A program, and the system package that contains it. */
export type Wanted = { program: string; package: string }

const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

export const thisMachine: Machine = {
  isRoot: process.getuid?.() === 0,
  has: (program) => folders.some((folder) => existsSync(path.join(folder, program))),
  isHalf: (name) => {
    const { stdout } = spawnSync('dpkg-query', ['-s', name], { encoding: 'utf8' })
    // False for a program that was not installed as a package, and where there is no dpkg.
    return /^Status: .* (half-installed|unpacked|half-configured)$/m.test(stdout ?? '')
  },
  run: ([command, ...args], mostMs) => runQuietly(command!, args, { mostMs }),
  lock: path.join(tmpdir(), 'farhand-apt.lock'),
  out: process.stderr,
  pause,
  now: () => performance.now(),
  refused: {
    of: (name) => process.env[noteOf(name)] ?? null,
    note: (name, why) => {
      process.env[noteOf(name)] = why
    },
  },
}

const noteOf = (name: string) => `FARHAND_WITHOUT_${name.toUpperCase().replaceAll('-', '_')}`

// Without a network, it must not take minutes at each `npm test` to find that out.
const hurry = ['Acquire::Retries=1', 'Acquire::http::Timeout=15', 'Acquire::https::Timeout=15']
// A new machine may be busy with its own upgrades, which hold the lock of dpkg.
const patient = ['DPkg::Lock::Timeout=300']
// Without this apt reports success when no mirror has answered.
const strict = ['APT::Update::Error-Mode=any']
const options = ['APT::Sandbox::User=root', ...hurry, ...patient, ...strict].flatMap((one) => ['-o', one])
const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', 'apt-get', '-q', ...options]

/** How long a slow mirror may take. */
const downloadMs = 600_000
/** In a network without access to the internet each request waits for its timeout. */
const slowMs = 120_000

/** Installs a package where that needs no password; returns the reason if it cannot, in words, or null. */
export async function installPackage(wanted: Wanted, machine: Machine): Promise<string | null> {
  const { isRoot, has, isHalf, lock, out, refused } = machine
  const name = wanted.package
  const isThere = () => has(wanted.program) && !isHalf(name)
  if (isThere()) return null
  if (!has('apt-get')) return `${name} is not installed; install it with the tools of your system.`
  if (!isRoot) return `${name} is not installed; install it: sudo apt-get install ${name}`
  // Each test project asks, and so does each `npm test` within a test: a refused package is not tried again.
  const before = refused.of(name)
  if (before !== null) return before
  try {
    await takeTurns(lock, async () => {
      if (!isThere()) await withProgress(`Installing ${name}`, () => insist(name, machine), out)
    })
    return isThere() ? null : `${name} was installed, and there is no ${wanted.program} that is whole.`
  } catch (error) {
    const why = `${name} could not be installed.\n${(error as Error).message}`
    refused.note(name, why)
    return why
  }
}

/** The key under which silent mirrors are noted; no package has this name. */
const silence = 'ANSWERS'

/** Tries again while another result is possible. */
async function insist(name: string, { run, pause, now, refused }: Machine): Promise<void> {
  const install = [...apt, 'install', '-y', '--no-install-recommends', name]
  // A download can be stopped at any moment; a stopped install would leave half a package behind.
  const [download, update] = [
    [...install, '--download-only'],
    [...apt, 'update'],
  ]
  const began = now()
  for (let tries = 1; ; tries += 1) {
    let news = ''
    // A new machine has no list of packages, and an old one has an outdated list.
    if (tries > 1) await run(update, downloadMs).catch((error: Error) => (news = error.message))
    try {
      await run(download, downloadMs)
      return await run(install)
    } catch (error) {
      const why = `${(error as Error).message}\n${news}`.trim()
      const spentMs = now() - began
      const isSilent = refused.of(silence) !== null
      const next = nextTry({ why, hasNews: tries > 1 && news === '', tries, spentMs, isSilent })
      if (next === null) {
        if (spentMs > slowMs) refused.note(silence, why)
        throw new Error(why)
      }
      // An install that was killed halfway has to be completed before the next one.
      if (next.repair) await run(['env', 'DEBIAN_FRONTEND=noninteractive', 'dpkg', '--configure', '-a'])
      await pause(next.inMs)
    }
  }
}

type Tried = {
  why: string
  /** The list of packages has just been updated. */
  hasNews: boolean
  tries: number
  spentMs: number
  /** The mirrors took long to refuse another package. */
  isSilent: boolean
}

/** When to try again after this error, or null if that cannot help. */
export function nextTry(tried: Tried): { inMs: number; repair?: true } | null {
  const { why, hasNews, tries, spentMs, isSilent } = tried
  if (/Could not get lock|Unable to (?:acquire|lock) the|is another process using it/.test(why))
    return spentMs < 300_000 ? { inMs: 3_000 } : null
  if (/dpkg was interrupted/.test(why)) return tries < 3 ? { inMs: 0, repair: true } : null
  if (isSilent) return null
  if (tries === 1) return { inMs: 0 }
  if (hasNews && /Unable to locate package|has no installation candidate/.test(why)) return null
  return tries < 4 && spentMs < slowMs ? { inMs: tries * 2_000 } : null
}
