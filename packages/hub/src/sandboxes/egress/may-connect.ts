import type { Network } from '@farhand/protocol/schemas/sandbox-terms'
import { type Destination, hostOf } from './destination.ts'
import { isNearAddress, isPrivateAddress } from './is-private-address.ts'

/**
 * What the sandboxes of a run may reach: the run's network setting, and the hosts that its agent needs. Hosts in private networks must
 * also be in `privateHosts`, which the operator sets and not the run.
 */
export type Rules = {
  network: Network
  alsoHosts: readonly string[]
  privateHosts: 'any' | readonly string[]
}

/**
 * `public`: allowed if the name resolves to a public address. `anywhere`: the list names this exact address or port, so a private address
 * is allowed too.
 */
export type Permit = 'refused' | 'public' | 'anywhere'

const usualPorts = [80, 443]

/** Whether a sandbox may connect to this target, decided before its name is resolved. */
export function mayConnect(rules: Rules, to: Destination): Permit {
  const { network, alsoHosts } = rules
  if (network === 'full') return 'anywhere'
  if (network === 'none') return 'refused'
  const listed = network === 'public' ? [] : network.allow
  const permits = [...listed, ...alsoHosts].map((entry) => permitBy(entry, to))
  if (permits.includes('anywhere')) return atMost(rules, to)
  return network === 'public' || permits.some(isGranted) ? 'public' : 'refused'
}

/** For a target that the run names: whether it may be in a private network. */
export const atMost = ({ privateHosts }: Pick<Rules, 'privateHosts'>, to: Destination): Permit =>
  privateHosts === 'any' || privateHosts.some((entry) => isGranted(permitBy(entry, to)))
    ? 'anywhere'
    : 'public'

/**
 * Which of a name's addresses may be used. A name must not lead to the hub's machine (with the addresses `own`) or into its network by DNS
 * tricks.
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

/** What one entry of a host list allows for a target. */
export function permitBy(entry: string, to: Destination): Permit {
  const [, star, name = '', port] = /^(\*\.)?(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const isPort = port === undefined ? usualPorts.includes(to.port) : Number(port) === to.port
  const host = hostOf(name)
  if (!isPort || host === null) return 'refused'
  // `*.0.0.1` must not match 127.0.0.1: an entry that ends in a number is an address and was normalized by `hostOf`.
  if (star) return to.host.endsWith(`.${host}`) ? 'public' : 'refused'
  if (to.host !== host) return 'refused'
  return port !== undefined || isAddress(host) ? 'anywhere' : 'public'
}

/** For a host normalized by `hostOf`. */
export const isAddress = (host: string) => host.includes(':') || /^\d+(\.\d+){3}$/.test(host)
