import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { withProgress } from './progress.mjs'
import { runQuietly } from './run-quietly.ts'
import { takeTurns } from './take-turns.mjs'

export type Machine = {
  isRoot: boolean
  has(program: string): boolean
  /** Resolves when it has ended well; throws what it said. */
  run(words: readonly string[]): Promise<void>
  lock: string
  out: NodeJS.WriteStream
}

/** A program, and the package of the system that it comes with. */
export type Wanted = { program: string; package: string }

const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

export const thisMachine: Machine = {
  isRoot: process.getuid?.() === 0,
  has: (program) => folders.some((folder) => existsSync(path.join(folder, program))),
  run: ([command, ...args]) => runQuietly(command!, args),
  lock: path.join(tmpdir(), 'farhand-apt.lock'),
  out: process.stderr,
}

// Where there is no network it must not take minutes to say so, at each `npm test`.
const hurry = [
  '-q',
  '-o',
  'APT::Sandbox::User=root',
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=15',
]
const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...hurry]

/** Installs it where that can be done without asking anybody; gives back why it is not there, in words, or null. */
export async function installPackage(wanted: Wanted, machine: Machine): Promise<string | null> {
  const { isRoot, has, run, lock, out } = machine
  const name = wanted.package
  if (has(wanted.program)) return null
  if (!has('apt-get')) return `${name} is not installed; install it with the tools of your system.`
  if (!isRoot) return `${name} is not installed; install it: sudo apt-get install ${name}`
  const install = [...apt, 'install', '-y', '--no-install-recommends', name]
  try {
    await takeTurns(lock, async () => {
      if (has(wanted.program)) return
      const all = async () => {
        // A machine that was just made knows of no packages, and one that is old of those that are gone.
        await run(install).catch(async () => {
          await run([...apt, 'update'])
          await run(install)
        })
      }
      await withProgress(`Installing ${name}`, all, out)
    })
    return null
  } catch (error) {
    return `${name} could not be installed.\n${(error as Error).message}`
  }
}
