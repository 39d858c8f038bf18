/** How many connections a hub takes, by whom. The rest of its descriptors is for files. */
export type ConnectionLimits = {
  /** By its port. */
  most: number
  /** From one address, of those that have not shown a token yet. */
  strangersPerAddress: number
  /** Of one user, or of the runner of one run. */
  perUser: number
  /** By the side door, which is for the hub's own user and must be open when the port is not. */
  sideDoor: number
  /** Of all sandboxes together, to the hub and through it. */
  sandboxes: number
}

const mostEver = 16_384
const between = (least: number, value: number, most: number) =>
  Math.max(least, Math.min(Math.floor(value), most))

/**
 * Divides what a process may have open. A connection may read or write a file, so each of them counts twice; a quarter is for logs,
 * the store and all else that must go on when every connection is taken.
 */
export function connectionLimits(descriptors: number, asked?: number): ConnectionLimits {
  const files = between(64, descriptors / 4, 4096)
  const sandboxes = between(32, descriptors / 4, mostEver)
  const sideDoor = between(8, descriptors / 16, 256)
  const possible = between(16, (descriptors - files - sandboxes - sideDoor) / 2, mostEver)
  const most = Math.min(possible, asked ?? possible)
  return {
    most,
    strangersPerAddress: between(8, most / 2, 256),
    perUser: Math.max(1, Math.floor((most * 3) / 4)),
    sideDoor,
    sandboxes,
  }
}

/** What counts as one address: of version 6 a household has a whole network. */
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
