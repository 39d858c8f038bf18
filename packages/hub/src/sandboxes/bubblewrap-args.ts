import path from 'node:path'

/** Whose processes run inside: a user that nobody else is, or the hub's own under another number. */
export type InnerUser = { is: 'own'; uid: number } | { is: 'mapped' }

/** A file or folder of the machine, and how it appears inside. */
export type Shown = { at: string } & ({ of: string } | { linkTo: string })

/** What is hidden is an empty folder inside. */
export type Readable = Shown | { at: string; hidden: true }

export type BubblewrapPlan = {
  user: InnerUser
  network: 'full' | 'sockets-only'
  /** A variable and its value, in the environment of the program. */
  env: Readonly<Record<string, string>>
  /** The system, with what was made for this sandbox alone; it can be read. */
  system: readonly Shown[]
  /** What else can be read, and what of it cannot. */
  readable: readonly Readable[]
  /** The folder with `workspace`, `state`, `home` and `tmp`, outside. */
  disk: string
  socketFolder: string
  sharedMemoryMb: number
}

/** Where everything is, inside. */
export const insidePaths = {
  workspace: '/workspace',
  state: '/state',
  home: '/home/agent',
  socketFolder: '/run/farhand',
}

const mappedId = '1000'

/** Who the program is inside, as a number. */
export const innerUid = (user: InnerUser): number => (user.is === 'own' ? user.uid : Number(mappedId))

/** The arguments of bubblewrap, without the program. */
export function bubblewrapArgs(plan: BubblewrapPlan): string[] {
  const { user, network, env, disk, socketFolder } = plan
  return [
    ...['pid', 'ipc', 'uts', 'cgroup-try'].map((what) => `--unshare-${what}`),
    ...(network === 'sockets-only' ? ['--unshare-net'] : []),
    ...['--hostname', 'sandbox'],
    // Nothing in it can outlive its supervisor, and it has no terminal into which it could type.
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
    // A socket can be connected to all the same; a file made there would be on the machine's disk, which has no limit.
    ...['--ro-bind', socketFolder, insidePaths.socketFolder],
    // Last, or there would be nowhere to mount things. What could be written here would be memory without a limit.
    ...[...plan.readable.flatMap((one) => ('hidden' in one ? one.at : [])), '/dev', '/'].flatMap((place) => [
      '--remount-ro',
      place,
    ]),
  ]
}

/** What becomes the user inside before it becomes the program; bubblewrap itself maps one, but cannot take on another. */
export function asUser(user: InnerUser, words: readonly string[]): string[] {
  if (user.is === 'mapped') return [...words]
  const id = String(user.uid)
  const nothing = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']
  return ['/usr/bin/setpriv', '--reuid', id, '--regid', id, ...nothing, '--', ...words]
}

function userArgs(user: InnerUser): string[] {
  if (user.is === 'mapped') return ['--unshare-user', '--uid', mappedId, '--gid', mappedId]
  // For `asUser`, which drops them too.
  return ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name])
}

function readableArgs(one: Readable): string[] {
  const here = 'hidden' in one ? ['--perms', '0755', '--tmpfs', one.at] : shownArgs(one)
  return [...opened(foldersAbove(one.at)), ...here]
}

/** Folders on the way to others. By itself bubblewrap would make them as closed as what is in them. */
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
 * All that is readable, with what of `secret` has to be hidden as it lies in that or in the system, parents before what is
 * in them. What is readable inside of a secret was named on purpose; the whole of one is refused.
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

/** Where somebody inside would find a place outside, if it is in what is shown: what is shown may have another name there. */
function placesInside(place: string, shown: Shown): string[] {
  if (!('of' in shown) || !isInside(place, shown.of)) return []
  return [path.join(shown.at, path.relative(shown.of, place))]
}

/** Whether `place` lies in `around`, at any depth. */
export function isInside(place: string, around: string): boolean {
  const way = path.relative(around, place)
  return way !== '' && way !== '..' && !way.startsWith('../') && !path.isAbsolute(way)
}
