import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { RunId, randomName } from '@farhand/protocol/wire/ids'
import { type BubblewrapMode, possibleModes, whatIsMissing } from './bubblewrap-mode.ts'
import { sweepCgroups, usableCgroups } from './cgroups.ts'
import type { FoundSandbox, SandboxEnd, SandboxHost, SandboxSpec } from './sandbox-host.ts'
import { startBubblewrap } from './start-bubblewrap.ts'
import { SupervisedSandboxes } from './supervised-sandboxes.ts'

export type BubblewrapOptions = {
  /** The folder with the folders of all sandboxes; hidden inside sandboxes. */
  folder: string
  /** Further paths that are hidden inside sandboxes, even within readable folders. */
  secret: readonly string[]
}

/** Sandboxes made with bubblewrap, with their own view of files, processes and network, and with limits. */
export class BubblewrapSandboxHost implements SandboxHost {
  readonly kind = 'bubblewrap'
  readonly isolates = true
  readonly #options: BubblewrapOptions
  readonly #sandboxes: SupervisedSandboxes
  #found: Promise<BubblewrapMode | string> | null = null

  constructor(options: BubblewrapOptions) {
    this.#options = options
    this.#sandboxes = new SupervisedSandboxes(this.kind, options.folder)
  }

  async unusable(): Promise<string | null> {
    const found = await this.#means()
    return typeof found === 'string' ? found : null
  }

  async strength(): Promise<string> {
    const found = await this.#means()
    if (typeof found === 'string') return found
    const { user, disk } = found
    return [
      'bubblewrap',
      user === 'own' ? 'each sandbox with a user of its own' : "with the hub's user in a namespace",
      usableCgroups()
        ? 'memory, processes and CPUs limited by control groups'
        : 'memory limited for each process by itself, their number too, CPUs not (no control groups can be made here)',
      disk === 'image' ? 'disk limited by a file system in a file' : 'disk limited, and kept in memory',
    ].join('; ')
  }

  async start(spec: SandboxSpec): Promise<void> {
    const means = await this.#means()
    if (typeof means === 'string') throw new Error(means)
    await startBubblewrap(this.#sandboxes, spec, means, [this.#options.folder, ...this.#options.secret])
  }

  async list(): Promise<FoundSandbox[]> {
    return this.#sandboxes.list()
  }

  ended(id: string): Promise<SandboxEnd> {
    return this.#sandboxes.ended(id)
  }

  remove(id: string): Promise<void> {
    return this.#sandboxes.remove(id)
  }

  async #means(): Promise<BubblewrapMode | string> {
    this.#found ??= findMode()
    const found = await this.#found
    // The operator may fix it meanwhile, so only success is remembered.
    if (typeof found === 'string') this.#found = null
    return found
  }
}

/** The strongest mode that works on this machine, found by trying; or why none does. */
async function findMode(): Promise<BubblewrapMode | string> {
  const missing = whatIsMissing()
  if (missing) return missing
  const parents = usableCgroups()
  if (parents) sweepCgroups(parents)
  await sweepTrials()
  const folder = mkdtempSync(path.join(tmpdir(), `${trialName}${process.pid}-`))
  let trouble = ''
  // Waiting for a sandbox does not keep the process running; here it must, as the caller needs the result.
  const stays = setInterval(() => {}, 60_000)
  try {
    for (const means of possibleModes(process.getuid!(), readFileSync('/proc/self/uid_map', 'utf8'))) {
      const trial = new SupervisedSandboxes('trial', folder)
      const id = `trial_${randomName()}`
      try {
        await startBubblewrap(trial, trialSpec(id, folder), means, [])
        const { code, lastWords } = await trial.ended(id)
        if (code === 0) return means
        trouble = lastWords
      } catch (error) {
        trouble = (error as Error).message
      } finally {
        await trial.remove(id)
      }
    }
  } finally {
    clearInterval(stays)
    rmSync(folder, { recursive: true, force: true })
  }
  return (
    `bubblewrap does not work here. ${trouble.trim().replace(/\.?$/, '.')} Where only root may make namespaces of users, ` +
    'allow it (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0).'
  )
}

const trialName = 'farhand-trial-'

/** Removes what the trials of killed hubs have left. */
async function sweepTrials(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(trialName))) {
    const pid = Number.parseInt(name.slice(trialName.length), 10)
    const folder = path.join(tmpdir(), name)
    if (!Number.isInteger(pid) || existsSync(`/proc/${pid}`) || lstatSync(folder).uid !== process.getuid!())
      continue
    const trial = new SupervisedSandboxes('trial', folder)
    for (const { id } of await trial.list()) await trial.remove(id)
    rmSync(folder, { recursive: true, force: true })
  }
}

const trialSpec = (id: string, socketFolder: string): SandboxSpec => ({
  id,
  run: RunId.parse('run_00000000'),
  program: ['/bin/sh', '-c', 'echo >/workspace/file'],
  input: () => '',
  readable: [],
  socketFolder,
  network: 'sockets-only',
  limits: { memoryMb: 64, processes: 16, cpus: 1, diskMb: 16 },
})
