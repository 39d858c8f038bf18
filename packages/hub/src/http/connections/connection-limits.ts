/** How many connections a hub accepts, by kind. Its other descriptors are for files. */
export type ConnectionLimits = {
  /** On its port. */
  most: number
  /** From one address, without a valid token so far. */
  strangersPerAddress: number
  /** Of one user, or of the runner of one run. */
  perUser: number
  /** On the local socket, which is for the hub's own user and must work when the port takes no more connections. */
  localSocket: number
  /** Of all sandboxes together, to the hub and through it. */
  sandboxes: number
}

const mostEver = 16_384
const between = (least: number, value: number, most: number) =>
  Math.max(least, Math.min(Math.floor(value), most))

/**
 * Divides the file descriptors of the process. A connection may read or write a file, so each counts twice. A quarter is reserved for
 * logs, the store and all else that must work when every connection is in use.
 */
export function connectionLimits(descriptors: number, asked?: number): ConnectionLimits {
  const files = between(64, descriptors / 4, 4096)
  const sandboxes = between(32, descriptors / 4, mostEver)
  const localSocket = between(8, descriptors / 16, 256)
  const possible = between(16, (descriptors - files - sandboxes - localSocket) / 2, mostEver)
  const most = Math.min(possible, asked ?? possible)
  return {
    most,
    strangersPerAddress: between(8, most / 2, 256),
    perUser: Math.max(1, Math.floor((most * 3) / 4)),
    localSocket,
    sandboxes,
  }
}

/** The group that an address counts for: with IPv6 one household has a whole /64 network. */
export function addressGroup(address: string): string {
  const four = address.replace(/^::ffff:/i, '')
  if (!four.includes(':')) return four
  const [head = ''] = four.split('%')
  const [before = '', after] = head.split('::')
  const groups = before.split(':').filter(Boolean)
  const behind = (after ?? '').split(':').filter(Boolean)
  const zeros =
    after === undefined ? [] : Array.from({ length: 8 - groups.length - behind.length }, () => '0')
  return [...groups, ...zeros, ...behind].slice(0, 4).join(':')
}
