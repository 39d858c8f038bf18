import { randomInt } from 'node:crypto'
import { chmodSync, existsSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  asUser,
  bubblewrapArgs,
  type InnerUser,
  innerUid,
  insidePaths,
  withHidden,
} from './bubblewrap-args.ts'
import {
  type BubblewrapMode,
  countsProcessesByNamespace,
  filterMachine,
  firstOwnUid,
  memoryDiskMb,
  searchPath,
} from './bubblewrap-mode.ts'
import { cgroupsOf, makeCgroups, usableCgroups } from './cgroups.ts'
import { enterScript } from './enter-script.ts'
import { joinGroups, limitEach } from './limited-command.ts'
import { markName } from './processes.ts'
import type { SandboxFolder } from './sandbox-folder.ts'
import type { SandboxSpec } from './sandbox-host.ts'
import { seccompFilter } from './seccomp-filter.ts'
import type { SupervisedSandboxes } from './supervised-sandboxes.ts'
import { beginScript } from './supervisor-script.ts'
import { privateKeys, readableShown, visibleSystem } from './visible-system.ts'

/** Starts a sandbox in this mode; the paths in `secret` are hidden inside. */
export function startBubblewrap(
  sandboxes: SupervisedSandboxes,
  spec: SandboxSpec,
  means: BubblewrapMode,
  secret: readonly string[],
): Promise<void> {
  const { id, run } = spec
  const user: InnerUser =
    means.user === 'own' ? { is: 'own', uid: firstOwnUid + randomInt(2 ** 24) } : { is: 'mapped' }
  const parents = usableCgroups()
  return sandboxes.start({ id, run, cgroups: cgroupsOf(parents, id) }, async (folder) => {
    const cgroups = parents ? makeCgroups(parents, id, spec.limits) : []
    const env = {
      PATH: searchPath,
      HOME: insidePaths.home,
      USER: 'agent',
      LOGNAME: 'agent',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      [markName]: id,
    }
    writeFileSync(folder.place('bubblewrap.args'), argsFile(spec, user, env, folder, secret))
    writeFileSync(folder.place('seccomp.filter'), seccompFilter(filterMachine()!))
    const begin = ['/bin/sh', '-c', beginScript, 'farhand-begin', insidePaths.workspace, ...spec.program]
    const sharesUser = user.is === 'mapped' && !countsProcessesByNamespace()
    const inside = cgroups.length > 0 ? begin : limitEach(begin, spec.limits, sharesUser)
    const diskMb = means.disk === 'image' ? spec.limits.diskMb : memoryDiskMb(spec.limits.diskMb)
    const owner = user.is === 'own' ? String(user.uid) : ''
    return {
      words: joinGroups(cgroups, [
        ...['unshare', '--mount', '--propagation', 'private'],
        ...(user.is === 'mapped' ? ['--user', '--map-root-user'] : []),
        ...['--', '/bin/sh', '-c', enterScript, 'farhand-enter'],
        ...[folder.path, means.disk, String(diskMb), owner],
        ...['bwrap', '--args', '4', '--seccomp', '5', '--', ...asUser(user, inside)],
      ]),
      input: spec.input(insidePaths),
      env: { PATH: searchPath, LANG: 'C.UTF-8', [markName]: id },
    }
  })
}

function argsFile(
  { network, readable, socketFolder, limits }: SandboxSpec,
  user: InnerUser,
  env: Readonly<Record<string, string>>,
  folder: SandboxFolder,
  secret: readonly string[],
): string {
  const uid = innerUid(user)
  const made = {
    passwd: `root:x:0:0:root:/:/bin/sh\nagent:x:${uid}:${uid}:agent:${insidePaths.home}:/bin/sh\n`,
    group: `root:x:0:\nagent:x:${uid}:\n`,
    hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
    hostname: 'sandbox\n',
  }
  const etc = folder.makePlace('etc')
  for (const [name, text] of Object.entries(made)) {
    writeFileSync(path.join(etc, name), text)
    // Readable for the sandbox's user, whatever the hub's umask is.
    chmodSync(path.join(etc, name), 0o644)
  }
  const system = visibleSystem(network)
  const hidden = [...secret, ...privateKeys].filter((place) => existsSync(place))
  const args = bubblewrapArgs({
    user,
    network,
    env,
    system: [
      ...system,
      ...Object.keys(made).map((name) => ({ at: `/etc/${name}`, of: path.join(etc, name) })),
    ],
    readable: withHidden(
      readableShown(readable, user.is === 'own'),
      hidden.map((place) => realpathSync(place)),
      system,
    ),
    disk: folder.place('disk'),
    socketFolder,
    sharedMemoryMb: Math.ceil(limits.memoryMb / 4),
  })
  return args.map((word) => `${word}\0`).join('')
}
