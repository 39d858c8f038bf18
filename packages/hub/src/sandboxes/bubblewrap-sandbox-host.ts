import { randomInt } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { RunId, randomName } from '@farhand/protocol/ids'
import {
  asUser,
  bubblewrapArgs,
  type InnerUser,
  innerUid,
  insidePlaces,
  withHidden,
} from './bubblewrap-args.ts'
import {
  countsProcessesByNamespace,
  filterMachine,
  firstOwnUid,
  type Means,
  memoryDiskMb,
  possibleMeans,
  whatIsMissing,
} from './bubblewrap-means.ts'
import { cgroupsOf, makeCgroups, usableCgroups } from './cgroups.ts'
import { enterScript } from './enter-script.ts'
import { joinGroups, limitEach } from './limited-words.ts'
import { markName } from './processes.ts'
import type { SandboxFolder } from './sandbox-folder.ts'
import type { FoundSandbox, SandboxEnd, SandboxHost, SandboxSpec } from './sandbox-host.ts'
import { seccompFilter } from './seccomp-filter.ts'
import { SupervisedSandboxes } from './supervised-sandboxes.ts'
import { beginScript } from './supervisor-script.ts'
import { readableShown, systemShown } from './system-shown.ts'

export type BubblewrapOptions = {
  /** Where the folders of all sandboxes are; nothing in it is seen in a sandbox. */
  folder: string
  /** What is not seen in a sandbox either, although it may lie in something readable. */
  secret: readonly string[]
}

/** Where bubblewrap and the tools beside it are looked for, and programs inside. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Sandboxes with a system of their own to look at, in which nothing outside can be seen, reached or used up. */
export class BubblewrapSandboxHost implements SandboxHost {
  readonly kind = 'bubblewrap'
  readonly isolates = true
  readonly #options: BubblewrapOptions
  readonly #sandboxes: SupervisedSandboxes
  #found: Promise<Means | string> | null = null

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
    await startIn(this.#sandboxes, spec, means, [this.#options.folder, ...this.#options.secret])
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

  async #means(): Promise<Means | string> {
    this.#found ??= findMeans()
    const found = await this.#found
    // Whoever is told may do something about it; that it works is looked at once.
    if (typeof found === 'string') this.#found = null
    return found
  }
}

/** The strongest that works here, found by trying; or why none does. */
async function findMeans(): Promise<Means | string> {
  const missing = whatIsMissing(searchPath)
  if (missing) return missing
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-trial-'))
  let trouble = ''
  try {
    for (const means of possibleMeans(process.getuid!(), readFileSync('/proc/self/uid_map', 'utf8'))) {
      const trial = new SupervisedSandboxes('trial', folder)
      const id = `trial_${randomName()}`
      try {
        await startIn(trial, trialSpec(id, folder), means, [])
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
    rmSync(folder, { recursive: true, force: true })
  }
  return (
    `bubblewrap does not work here. ${trouble.trim()} Where only root may make namespaces of users, ` +
    'allow it (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0).'
  )
}

const trialSpec = (id: string, door: string): SandboxSpec => ({
  id,
  run: RunId.parse('run_00000000'),
  program: ['/bin/sh', '-c', 'echo >/workspace/file'],
  letter: () => '',
  readable: [],
  door,
  network: 'door',
  limits: { memoryMb: 64, processes: 16, cpus: 1, diskMb: 16 },
})

function startIn(sandboxes: SupervisedSandboxes, spec: SandboxSpec, means: Means, secret: readonly string[]) {
  const { id, run } = spec
  const user: InnerUser =
    means.user === 'own' ? { is: 'own', uid: firstOwnUid + randomInt(2 ** 24) } : { is: 'mapped' }
  const parents = usableCgroups()
  return sandboxes.start({ id, run, cgroups: cgroupsOf(parents, id) }, async (folder) => {
    const cgroups = parents ? makeCgroups(parents, id, spec.limits) : []
    const env = {
      PATH: searchPath,
      HOME: insidePlaces.home,
      USER: 'agent',
      LOGNAME: 'agent',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      [markName]: id,
    }
    writeFileSync(folder.place('bubblewrap.args'), argsFile(spec, user, env, folder, secret))
    writeFileSync(folder.place('seccomp.filter'), seccompFilter(filterMachine()!))
    const begin = ['/bin/sh', '-c', beginScript, 'farhand-begin', insidePlaces.workspace, ...spec.program]
    const sharesUser = user.is === 'mapped' && !countsProcessesByNamespace()
    const inside = cgroups.length > 0 ? begin : limitEach(begin, spec.limits, sharesUser)
    const diskMb = means.disk === 'image' ? spec.limits.diskMb : memoryDiskMb(spec.limits.diskMb)
    const owner = user.is === 'own' ? String(user.uid) : ''
    return {
      words: joinGroups(cgroups, [
        ...['unshare', '--mount', '--propagation', 'private'],
        ...(user.is === 'mapped' ? ['--user', '--map-root-user'] : []),
        ...[
          '--',
          '/bin/sh',
          '-c',
          enterScript,
          'farhand-enter',
          folder.path,
          means.disk,
          String(diskMb),
          owner,
        ],
        ...['bwrap', '--args', '4', '--seccomp', '5', '--', ...asUser(user, inside)],
      ]),
      letter: spec.letter(insidePlaces),
      env: { PATH: searchPath, LANG: 'C.UTF-8', [markName]: id },
    }
  })
}

function argsFile(
  { network, readable, door, limits }: SandboxSpec,
  user: InnerUser,
  env: Readonly<Record<string, string>>,
  folder: SandboxFolder,
  secret: readonly string[],
): string {
  const uid = innerUid(user)
  const made = {
    passwd: `root:x:0:0:root:/:/bin/sh\nagent:x:${uid}:${uid}:agent:${insidePlaces.home}:/bin/sh\n`,
    group: `root:x:0:\nagent:x:${uid}:\n`,
    hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
    hostname: 'sandbox\n',
  }
  const etc = folder.makePlace('etc')
  for (const [name, text] of Object.entries(made)) {
    writeFileSync(path.join(etc, name), text)
    // Whatever the hub leaves to others by itself.
    chmodSync(path.join(etc, name), 0o644)
  }
  const args = bubblewrapArgs({
    user,
    network,
    env,
    system: [
      ...systemShown(network),
      ...Object.keys(made).map((name) => ({ at: `/etc/${name}`, of: path.join(etc, name) })),
    ],
    readable: withHidden(
      readableShown(readable, user.is === 'own'),
      secret.filter((place) => existsSync(place)).map((place) => realpathSync(place)),
    ),
    disk: folder.place('disk'),
    door,
    sharedMemoryMb: Math.ceil(limits.memoryMb / 4),
  })
  return args.map((word) => `${word}\0`).join('')
}
