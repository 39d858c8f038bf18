import { BlockList, isIP } from 'node:net'

// These lead to the machine itself, its network, or its provider.
const privateRanges = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const

/** Addresses that can lead out into the internet at all: all of IPv4, IPv4 inside IPv6, and what is globally assigned of IPv6. */
const assigned = new BlockList()
assigned.addSubnet('0.0.0.0', 0, 'ipv4')
assigned.addSubnet('2000::', 3, 'ipv6')
assigned.addSubnet('::ffff:0:0', 96, 'ipv6')
assigned.addSubnet('64:ff9b::', 96, 'ipv6')

/** A rule for IPv4 holds for `::ffff:1.2.3.4` too; the other two ways to write IPv4 inside IPv6 need rules of their own. */
const refused = new BlockList()
for (const [address, bits] of privateRanges) {
  refused.addSubnet(address, bits, 'ipv4')
  refused.addSubnet(`64:ff9b::${address}`, 96 + bits, 'ipv6')
  refused.addSubnet(sixToFour(address), 16 + bits, 'ipv6')
}
// Teredo tunnels, which lead through a third-party relay, and addresses reserved for documentation.
refused.addSubnet('2001::', 32, 'ipv6')
refused.addSubnet('2001:db8::', 32, 'ipv6')

/** Whether an address leads to a private network; a text that is no address counts as one that does. */
export function isPrivateAddress(address: string): boolean {
  const family = familyOf(address)
  return family === null || !assigned.check(address, family) || refused.check(address, family)
}

/**
 * Whether an address is one of `own` (this machine's) or an IPv6 address in the same /64 network. Such addresses may be public, but the
 * servers there may be meant for neighbours only.
 */
export function isNearAddress(address: string, own: readonly string[]): boolean {
  const family = familyOf(address)
  if (family === null) return true
  const near = new BlockList()
  for (const one of own) {
    const of = familyOf(one)
    if (of === 'ipv4') near.addAddress(one)
    else if (of === 'ipv6') near.addSubnet(one, hasNeighbours(one) ? 64 : 128, 'ipv6')
  }
  return near.check(address, family)
}

/** The loopback address ::1 shares its /64 with all of IPv4 inside IPv6. */
const special = new BlockList()
special.addSubnet('::', 64, 'ipv6')
const hasNeighbours = (address: string) => !special.check(address, 'ipv6')

/** Null for what is no address, and for one with a zone (fe80::1%eth0). */
function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = address.includes('%') ? 0 : isIP(address)
  return version === 0 ? null : version === 4 ? 'ipv4' : 'ipv6'
}

/** The network 2002:: that stands for this IPv4 address. */
function sixToFour(address: string): string {
  const [a, b, c, d] = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'))
  return `2002:${a}${b}:${c}${d}::`
}
