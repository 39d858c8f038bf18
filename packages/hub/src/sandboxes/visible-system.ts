import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { isInside, type Shown } from './bubblewrap-args.ts'

/** Folders with programs and their libraries. In most systems all but the first are links into it. */
const roots = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/** What programs need from `/etc`. All other files may hold credentials and are left out. */
const settings = [
  /^ssl$/,
  /^pki$/,
  /^ca-certificates(\.conf)?$/,
  /^crypto-policies$/,
  /^ld\.so\./,
  /^alternatives$/,
  /^(nsswitch|host|gai)\.conf$/,
  /^(localtime|timezone|locale\.(alias|conf|gen))$/,
  /^(protocols|services|networks|ethertypes|shells|login\.defs)$/,
  /^(mime\.types|magic|magic\.mime|inputrc|terminfo|fonts|bash\.bashrc|profile)$/,
  /^(os-release|lsb-release|debian_version|[a-z]+-release)$/,
  /^(java|python|perl|php|ruby|erlang)[-\d.\w]*$/,
]

/**
 * Private keys in the visible parts of `/etc`, which are hidden inside. The hub's user may be able to read them through its groups, which
 * processes in its sandboxes keep.
 */
export const privateKeys = [
  '/etc/ssl/private',
  ...['tls/private', 'CA/private', 'consumer', 'entitlement'].map((name) => `/etc/pki/${name}`),
]

/** The system files of this machine that every sandbox sees. */
export function visibleSystem(network: 'full' | 'sockets-only'): Shown[] {
  const etc = readdirSync('/etc').filter((name) => settings.some((pattern) => pattern.test(name)))
  // Without a network no name server can be reached, and trying would take seconds.
  if (network === 'full') etc.push('resolv.conf')
  return [
    ...roots.flatMap((root) => shown(root) ?? []),
    ...etc.flatMap((name) => {
      const at = path.join('/etc', name)
      // The target of a link may not exist inside, so the link is resolved here.
      return existsSync(at) ? [{ at, of: realpathSync(at) }] : []
    }),
  ]
}

/** The readable paths at their own places, without those that the system folders include. `forOthers`: another user must be able to read them. */
export function readableShown(paths: readonly string[], forOthers: boolean): Shown[] {
  for (const place of paths) {
    const { mode } = statSync(place)
    if (forOthers && (mode & 0o004) === 0)
      throw new Error(
        `${place} can be read by its owner only, and a sandbox has a user of its own: chmod -R go+rX it.`,
      )
  }
  const inRoots = (place: string) => roots.some((root) => existsSync(root) && isInside(place, root))
  return [...new Set(paths)]
    .filter((place) => !inRoots(place) || !inRoots(realpathSync(place)))
    .map((at) => ({ at, of: realpathSync(at) }))
}

function shown(root: string): Shown | null {
  const found = lstatSync(root, { throwIfNoEntry: false })
  if (!found) return null
  return found.isSymbolicLink() ? { at: root, linkTo: readlinkSync(root) } : { at: root, of: root }
}
