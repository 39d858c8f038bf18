import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { withProgress } from '../progress.mjs'
import { takeTurns } from '../take-turns.mjs'

/** Before tests: bubblewrap is a package of the system, and a new machine does not have it. */
export default async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  const trouble = await installBubblewrap(here)
  if (trouble) process.stderr.write(`The tests with bubblewrap sandboxes are skipped: ${trouble}\n`)
}

export type Machine = {
  isRoot: boolean
  has(program: string): boolean
  /** Resolves when it has ended well; throws what it said. */
  run(words: readonly string[]): Promise<void>
  lock: string
  out: NodeJS.WriteStream
}

const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

const here: Machine = {
  isRoot: process.getuid?.() === 0,
  has: (program) => folders.some((folder) => existsSync(path.join(folder, program))),
  run,
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
const install = [...apt, 'install', '-y', '--no-install-recommends', 'bubblewrap']

/** Installs it where that can be done without asking anybody; gives back why it is not there, in words, or null. */
export async function installBubblewrap(machine: Machine): Promise<string | null> {
  const { isRoot, has, run, lock, out } = machine
  if (has('bwrap')) return null
  if (!has('apt-get')) return 'bubblewrap is not installed; install it with the tools of your system.'
  if (!isRoot) return 'bubblewrap is not installed; install it: sudo apt-get install bubblewrap'
  try {
    await takeTurns(lock, async () => {
      if (has('bwrap')) return
      const all = async () => {
        // A machine that was just made knows of no packages, and one that is old of those that are gone.
        await run(install).catch(async () => {
          await run([...apt, 'update'])
          await run(install)
        })
      }
      await withProgress('Installing bubblewrap', all, out)
    })
    return null
  } catch (error) {
    return `bubblewrap could not be installed.\n${(error as Error).message}`
  }
}

function run([command, ...args]: readonly string[]): Promise<void> {
  const child = spawn(command!, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `${command} ended with ${code}`)),
    )
  })
}
