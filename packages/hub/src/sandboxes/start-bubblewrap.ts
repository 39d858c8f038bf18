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
import { joinGroups, limitEach } from './limited-command.ts'
import { markName } from './processes.ts'
import type { SandboxFolder } from './sandbox-folder.ts'
import type { SandboxSpec } from './sandbox-host.ts'
import { seccompFilter } from './seccomp-filter.ts'
import type { SupervisedSandboxes } from './supervised-sandboxes.ts'
import { beginScript } from './supervisor-script.ts'
import { privateKeys, readableShown, visibleSystem } from './visible-system.ts'

/**
 * For `sh -c` in a separate mount namespace: mounts the sandbox's disk in the folder given first, and then executes the command, which
 * gets bubblewrap's arguments in file descriptor 4 and the filter in 5. The mounts vanish with the last process of the sandbox.
 */
const enterScript = `
set -e
umask 022
folder=$1 kind=$2 megabytes=$3 owner=$4
shift 4
cd "$folder"
mkdir disk
if [ "$kind" = image ]; then
  # The disk is deleted with the sandbox: it needs no journal and no initialized blocks.
  truncate -s "\${megabytes}M" disk.image
  mkfs.ext4 -q -F -m 0 -O ^has_journal -E lazy_itable_init=1,nodiscard disk.image </dev/null
  mount -t ext4 -o loop,noinit_itable,nobarrier,nosuid,nodev disk.image disk </dev/null
  rmdir disk/lost+found
else
  # Limits the number of files, as an empty file takes memory too.
  mount -t tmpfs -o "size=\${megabytes}m,nr_inodes=$((megabytes * 64)),mode=755,nosuid,nodev" tmpfs disk </dev/null
fi
mkdir -m 700 disk/workspace disk/state disk/home disk/tmp
[ -z "$owner" ] || chown "$owner:$owner" disk/*
exec "$@" 4<bubblewrap.args 5<seccomp.filter
`

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
    // Readable for the sandbox's user under any umask of the hub.
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
