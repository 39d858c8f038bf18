import type { Network, SandboxLimits, SandboxTerms } from '@farhand/protocol/schemas/sandbox-terms'
import { remotesOf } from '@farhand/protocol/schemas/sandbox-terms'
import { hostOf, urlDestination } from '../sandboxes/egress/destination.ts'
import { isPrivateAddress } from '../sandboxes/egress/is-private-address.ts'
import { isAddress, permitBy } from '../sandboxes/egress/may-connect.ts'
import type { AllLimits } from '../sandboxes/sandbox-host.ts'

/** The operator's limits on what runs may have. */
export type RunRules = {
  /** Allowed kinds of sandbox; an empty list sets no limit. See `whyNotKind` for kinds that do not isolate. */
  allowedSandboxes: readonly string[]
  /** The kind for runs that name none. If the operator names a kind here, the owner may have it. */
  usualSandbox: string
  /** The most that sandboxes of users who are not the owner may reach. */
  memberNetwork: 'full' | 'public' | 'listed' | 'none'
  /** Private hosts, as `terms.network` lists them, that every user's sandboxes may reach. */
  privateHosts: readonly string[]
  limits: AllLimits
  maxIdleMinutes: number
}

/** The user of a run. Only the owner of the hub may have a sandbox that does not isolate. */
export type RunOwner = {
  isOwner: boolean
  /** Whether the hub keeps data of no other user. */
  isOnlyUser: boolean
}

type Kind = { kind: string; isolates: boolean }

/** Why this user may not have a sandbox of this kind; null if they may. */
export function whyNotKind(rules: RunRules, owner: RunOwner, { kind, isolates }: Kind): string | null {
  const { allowedSandboxes: allowed } = rules
  if (allowed.length > 0 && !allowed.includes(kind))
    return `The operator of this hub does not allow ${kind} sandboxes. Ask for another kind (${allowed.join(' or ')}), or let the operator add it to --allowed-sandboxes.`
  if (isolates) return null
  if (owner.isOwner) {
    // A file can instruct an agent: without isolation it could read the data of the other users.
    if (owner.isOnlyUser || allowed.includes(kind) || rules.usualSandbox === kind) return null
    return `A ${kind} sandbox isolates nothing, and this hub has other users, whose data its agent could read. Ask for a kind that isolates, or let the operator add ${kind} to --allowed-sandboxes: then the owner may have it.`
  }
  return `A ${kind} sandbox is for the owner of this hub alone: it isolates nothing, so its agent could read the data of all users. Ask for a kind that isolates, or work on your own machine (--here).`
}

/** Which of these terms this user may not have, and why; null if none. Terms that are only lowered are not refused. */
export function whyNotTerms(
  rules: RunRules,
  owner: RunOwner,
  terms: SandboxTerms,
): { field: string; why: string } | null {
  const isOpen = privateHostsFor(rules, owner) === 'any'
  if (isOpen) return null
  const listed = typeof terms.network === 'object' ? terms.network.allow : []
  const wrong = listed.find((entry) => isPrivateEntry(entry) && !isNamed(rules.privateHosts, entry))
  if (wrong !== undefined) return { field: 'terms.network', why: privateWords(wrong) }
  const remote = remotesOf(terms).find((url) => isPrivateRemote(url) && !isNamedUrl(rules.privateHosts, url))
  if (remote !== undefined)
    return { field: terms.clone?.url === remote ? 'terms.clone' : 'terms.remotes', why: privateWords(remote) }
  return null
}

/** The network that this user's sandboxes get: the stricter of what the run asks for and what the operator allows. */
export function networkFor(rules: RunRules, owner: RunOwner, asked: Network = 'full'): Network {
  const most = owner.isOwner ? 'full' : rules.memberNetwork
  if (most === 'full' || asked === 'none') return asked
  if (most === 'none') return 'none'
  if (typeof asked === 'object') return asked
  return most === 'public' ? 'public' : 'none'
}

/** The private hosts that this user's sandboxes may reach if their run names them. */
export const privateHostsFor = (rules: RunRules, owner: RunOwner): 'any' | readonly string[] =>
  owner.isOwner || rules.memberNetwork === 'full' ? 'any' : rules.privateHosts

/** For each limit, the lower of what the run asks for and what the operator allows. */
export function limitsFor({ limits }: RunRules, asked: SandboxLimits = {}): AllLimits {
  const lower = (name: keyof AllLimits) => Math.min(limits[name], asked[name] ?? limits[name])
  return {
    memoryMb: lower('memoryMb'),
    processes: lower('processes'),
    cpus: lower('cpus'),
    diskMb: lower('diskMb'),
  }
}

/** What a run asked for and does not fully get, in words for its user. */
export function loweredInWords(rules: RunRules, owner: RunOwner, terms: SandboxTerms): string[] {
  const { limits: asked = {}, network, idleMinutes = 0 } = terms
  const given = limitsFor(rules, asked)
  const said = (Object.keys(given) as (keyof AllLimits)[]).flatMap((name) =>
    (asked[name] ?? 0) > given[name]
      ? [`${names[name]}: ${asked[name]} asked for, ${given[name]} given`]
      : [],
  )
  if (idleMinutes > rules.maxIdleMinutes)
    said.push(`minutes until it sleeps: ${idleMinutes} asked for, ${rules.maxIdleMinutes} given`)
  const reach = networkFor(rules, owner, network)
  if (network === 'full' && reach !== 'full') said.push(`network: full asked for, ${reach} given`)
  return said
}

const names: Record<keyof AllLimits, string> = {
  memoryMb: 'memory in MB',
  processes: 'processes',
  cpus: 'cores',
  diskMb: 'disk in MB',
}

const privateWords = (what: string) =>
  `${what} is in a private network, which only the owner of this hub may open to a sandbox. Leave it out, or let the operator add it to --private-hosts.`

/** Whether an entry of a list is a private address. Host names are resolved and checked only when the sandbox connects. */
function isPrivateEntry(entry: string): boolean {
  const host = hostOf(entry.replace(/^\*\./, '').replace(/:\d{1,5}$/, ''))
  return host !== null && isPrivateHost(host)
}

const isPrivateHost = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') || (isAddress(host) && isPrivateAddress(host))

function isPrivateRemote(url: string): boolean {
  const to = URL.canParse(url) ? urlDestination(new URL(url)) : null
  return to !== null && isPrivateHost(to.host)
}

function isNamed(hosts: readonly string[], entry: string): boolean {
  const [, host = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const ports = port === undefined ? [80, 443] : [Number(port)]
  return ports.every((one) =>
    hosts.some((named) => permitBy(named, { host: hostOf(host) ?? '', port: one }) !== 'refused'),
  )
}

function isNamedUrl(hosts: readonly string[], url: string): boolean {
  const to = urlDestination(new URL(url))
  return to !== null && hosts.some((named) => permitBy(named, to) !== 'refused')
}
