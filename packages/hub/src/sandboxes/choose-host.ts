/** A kind of sandbox on this machine, why this user may not have it, and why it does not work; null if it does. */
export type AvailableHost = {
  kind: string
  isolates: boolean
  forbidden?: string | null
  unusable: string | null
}

export type HostChoice =
  /** `warning` tells the user what this sandbox does not protect against. */
  { kind: string; warning: string | null } | { refused: string }

/**
 * Which host a run gets, of those here, the strongest first: the kind it asks for, or with null the first that works. A run that asks for
 * a kind never gets another one. If the kind does not isolate, there is a warning.
 */
export function chooseHost(asked: string | null, here: readonly AvailableHost[]): HostChoice {
  const usable = here.filter(({ unusable, forbidden }) => unusable === null && !forbidden)
  if (asked !== null) {
    const host = here.find(({ kind }) => kind === asked)
    if (!host) return { refused: `There is no kind of sandbox called ${asked}; there is ${inWords(here)}.` }
    if (host.forbidden) return { refused: host.forbidden }
    if (host.unusable !== null)
      return {
        refused: `A ${asked} sandbox cannot be had on the hub's machine: ${host.unusable}${instead(usable)}`,
      }
    return { kind: host.kind, warning: host.isolates ? null : warningOf(null) }
  }
  const chosen = usable[0]
  if (!chosen) {
    const reasons = here.map(({ kind, unusable, forbidden }) => forbidden ?? `${kind}: ${unusable}`)
    return { refused: `No sandbox can be had on the hub's machine. ${reasons.join(' ')}`.trim() }
  }
  return { kind: chosen.kind, warning: chosen.isolates ? null : warningOf(here[0]?.unusable ?? null) }
}

function warningOf(whyNotBetter: string | null): string {
  const said = "This sandbox does not isolate: what runs in it may do whatever the hub's user may."
  return whyNotBetter === null ? said : `${said} ${whyNotBetter}`
}

const instead = (usable: readonly AvailableHost[]) =>
  usable.length === 0 ? '' : ` What works here: ${inWords(usable)}.`

const inWords = (hosts: readonly AvailableHost[]) => hosts.map(({ kind }) => kind).join(' and ') || 'none'
