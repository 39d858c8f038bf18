import type { Network } from '@farhand/protocol/schemas/sandbox-terms'
import { type Destination, hostOf } from './destination.ts'
import { isNearAddress, isPrivateAddress } from './is-private-address.ts'

/**
 * What the sandboxes of a run may reach: what was agreed for the run, and what its agent needs besides. Hosts in private
 * networks are reached only if `privateHosts` has them, too, which is the operator's word and not the run's.
 */
export type Rules = {
  network: Network
  alsoHosts: readonly string[]
  privateHosts: 'any' | readonly string[]
}

/**
 * `public`: the name is allowed as long as it leads out into the world. `anywhere`: whoever made the list named this very
 * address or port, and so knew where it leads.
 */
export type Permit = 'refused' | 'public' | 'anywhere'

const usualPorts = [80, 443]

/** Whether a sandbox may go there, before anybody has asked where the name leads. */
export function mayConnect(rules: Rules, to: Destination): Permit {
  const { network, alsoHosts } = rules
  if (network === 'full') return 'anywhere'
  if (network === 'none') return 'refused'
  const listed = network === 'public' ? [] : network.allow
  const permits = [...listed, ...alsoHosts].map((entry) => permitBy(entry, to))
  if (permits.includes('anywhere')) return atMost(rules, to)
  return network === 'public' || permits.some(isGranted) ? 'public' : 'refused'
}

/** Of a place that the run names itself: whether it may be in a private network. */
export const atMost = ({ privateHosts }: Pick<Rules, 'privateHosts'>, to: Destination): Permit =>
  privateHosts === 'any' || privateHosts.some((entry) => isGranted(permitBy(entry, to)))
    ? 'anywhere'
    : 'public'

/**
 * The addresses that may be connected to, of those a name has: a name must not lead by a trick to the hub's machine, which has
 * `own`, or into its network.
 */
export function usableAddresses(
  permit: Permit,
  addresses: readonly string[],
  own: readonly string[] = [],
): string[] {
  if (permit === 'refused') return []
  const isFar = (address: string) => !isPrivateAddress(address) && !isNearAddress(address, own)
  return addresses.filter((address) => permit === 'anywhere' || isFar(address))
}

const isGranted = (permit: Permit) => permit !== 'refused'

/** What one entry of a list of hosts says about a place. */
export function permitBy(entry: string, to: Destination): Permit {
  const [, star, name = '', port] = /^(\*\.)?(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const isPort = port === undefined ? usualPorts.includes(to.port) : Number(port) === to.port
  const host = hostOf(name)
  if (!isPort || host === null) return 'refused'
  // `*.0.0.1` does not stand for 127.0.0.1: what ends in a number is an address, and written as a whole by now.
  if (star) return to.host.endsWith(`.${host}`) ? 'public' : 'refused'
  if (to.host !== host) return 'refused'
  return port !== undefined || isAddress(host) ? 'anywhere' : 'public'
}

/** Of a host as `hostOf` writes it. */
export const isAddress = (host: string) => host.includes(':') || /^\d+(\.\d+){3}$/.test(host)
