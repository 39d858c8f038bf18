import path from 'node:path'

/** The user of the processes inside: one that exists only for this sandbox, or the hub's own user, mapped to another number. */
export type InnerUser = { is: 'own'; uid: number } | { is: 'mapped' }

/** A path inside the sandbox, and the file, folder or link of the machine that appears there. */
export type Shown = { at: string } & ({ of: string } | { linkTo: string })

/** A hidden path is an empty folder inside. */
export type Readable = Shown | { at: string; hidden: true }

export type BubblewrapPlan = {
  user: InnerUser
  network: 'full' | 'sockets-only'
  /** The environment of the program. */
  env: Readonly<Record<string, string>>
  /** Read-only files of the system, and those made for this sandbox alone. */
  system: readonly Shown[]
  /** Other readable paths, and the hidden paths within them. */
  readable: readonly Readable[]
  /** The folder outside that holds `workspace`, `state`, `home` and `tmp`. */
  disk: string
  socketFolder: string
  sharedMemoryMb: number
}

/** The paths inside the sandbox. */
export const insidePaths = {
  workspace: '/workspace',
  state: '/state',
  home: '/home/agent',
  socketFolder: '/run/farhand',
}

const mappedId = '1000'

/** The user id of the program inside. */
export const innerUid = (user: InnerUser): number => (user.is === 'own' ? user.uid : Number(mappedId))

/** The arguments of bubblewrap, without the program. */
export function bubblewrapArgs(plan: BubblewrapPlan): string[] {
  const { user, network, env, disk, socketFolder } = plan
  return [
    ...['pid', 'ipc', 'uts', 'cgroup-try'].map((what) => `--unshare-${what}`),
    ...(network === 'sockets-only' ? ['--unshare-net'] : []),
    ...['--hostname', 'sandbox'],
    // No process in it outlives its supervisor, and it has no terminal into which it could type.
    ...['--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', ...userArgs(user)],
    ...['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
    ...opened(['/etc', '/home', '/run']),
    ...plan.system.flatMap(shownArgs),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(plan.sharedMemoryMb * 1024 * 1024), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...['--bind', path.join(disk, 'tmp'), '/tmp'],
    ...(['workspace', 'state', 'home'] as const).flatMap((name) => [
      '--bind',
      path.join(disk, name),
      insidePaths[name],
    ]),
    ...plan.readable.flatMap(readableArgs),
    // Connecting to a socket works read-only. Files made there would be on the machine's disk, without a limit.
    ...['--ro-bind', socketFolder, insidePaths.socketFolder],
    // Last, as mounting needs write access. Files written here would use memory without a limit.
    ...[...plan.readable.flatMap((one) => ('hidden' in one ? one.at : [])), '/dev', '/'].flatMap((place) => [
      '--remount-ro',
      place,
    ]),
  ]
}

/** Wraps a command so that it switches to the inner user first: bubblewrap can map a user, but not switch to another. */
export function asUser(user: InnerUser, words: readonly string[]): string[] {
  if (user.is === 'mapped') return [...words]
  const id = String(user.uid)
  const nothing = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']
  return ['/usr/bin/setpriv', '--reuid', id, '--regid', id, ...nothing, '--', ...words]
}

function userArgs(user: InnerUser): string[] {
  if (user.is === 'mapped') return ['--unshare-user', '--uid', mappedId, '--gid', mappedId]
  // Needed by `asUser`, which drops them afterwards.
  return ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name])
}

function readableArgs(one: Readable): string[] {
  const here = 'hidden' in one ? ['--perms', '0755', '--tmpfs', one.at] : shownArgs(one)
  return [...opened(foldersAbove(one.at)), ...here]
}

/** Makes parent folders readable. By default bubblewrap gives them the permissions of their content. */
function opened(folders: readonly string[]): string[] {
  return [...new Set(folders)].flatMap((folder) => ['--perms', '0755', '--dir', folder])
}

function foldersAbove(place: string): string[] {
  const above = path.dirname(place)
  return above === '/' ? [] : [...foldersAbove(above), above]
}

function shownArgs(shown: Shown): string[] {
  return 'linkTo' in shown ? ['--symlink', shown.linkTo, shown.at] : ['--ro-bind', shown.of, shown.at]
}

/**
 * The readable paths, and those paths of `secret` inside them or the system that must be hidden, parents first. A readable path inside a
 * secret folder was named on purpose and is allowed; a whole secret path is refused.
 */
export function withHidden(
  readable: readonly Shown[],
  secret: readonly string[],
  system: readonly Shown[] = [],
): Readable[] {
  const wrong = readable.find(
    (one) =>
      !path.isAbsolute(one.at) ||
      one.at === '/' ||
      secret.includes(one.at) ||
      ('of' in one && secret.includes(one.of)),
  )
  if (wrong !== undefined) throw new Error(`${wrong.at} must not be read in a sandbox`)
  const all = [...system, ...readable]
  const places = new Set(secret.flatMap((place) => all.flatMap((one) => placesInside(place, one))))
  const shown = all.map(({ at }) => at)
  const hidden = [...places].filter((place) => {
    const around = [...shown, ...places].filter((one) => isInside(place, one))
    const nearest = around.reduce((one, other) => (other.length > one.length ? other : one), '')
    return shown.includes(nearest)
  })
  const together = [...readable, ...hidden.map((at) => ({ at, hidden: true as const }))]
  return together.sort((one, other) => one.at.length - other.at.length)
}

/** The path inside of a path outside, if it is within a shown folder, which may have another name inside. */
function placesInside(place: string, shown: Shown): string[] {
  if (!('of' in shown) || !isInside(place, shown.of)) return []
  return [path.join(shown.at, path.relative(shown.of, place))]
}

/** Whether `place` lies in `around`, at any depth. */
export function isInside(place: string, around: string): boolean {
  const way = path.relative(around, place)
  return way !== '' && way !== '..' && !way.startsWith('../') && !path.isAbsolute(way)
}
