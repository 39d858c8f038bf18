import type { AvailableAgents, ListedAgent } from '@farhand/protocol/schemas/available-agents'

/** The preselected agent: the last one chosen, else a usable one; the rehearsal only if there is no other. */
export function preselectedAgent({ agents }: AvailableAgents, last: string): string {
  if (agents.some(({ id }) => id === last)) return last
  const usable = agents.filter(({ state }) => state === 'usable')
  return (usable.find(({ id }) => id !== 'rehearsal') ?? usable[0] ?? agents[0])?.id ?? ''
}

const isReady = ({ state }: ListedAgent) => state === 'usable' || state === 'maybe'

/** Agents that can be chosen as they are, and agents that need setup first. */
export const byReadiness = ({ agents }: AvailableAgents) => ({
  ready: agents.filter(isReady),
  others: agents.filter((agent) => !isReady(agent)),
})

/** Names the agents that are not set up; null if all are. */
export function missingAgentsInWords(here: AvailableAgents): string | null {
  const { ready, others } = byReadiness(here)
  const [first, second, third] = others.map(({ name }) => name)
  if (first === undefined) return null
  const only = ready.length > 0 && ready.every(({ id }) => id === 'rehearsal')
  const more = others.length === 3 ? third : `${others.length - 2} others`
  const names =
    second === undefined ? first : `${first}${third ? `, ${second} and ${more}` : ` and ${second}`}`
  const before = only ? 'The rehearsal only plays an agent. ' : ''
  return `${before}${names} ${others.length === 1 ? 'is' : 'are'} not set up where the hub is.`
}

/** A hint for the chosen agent; null if it can work as it is. */
export function agentHint({ state, missing, install, name }: ListedAgent): string | null {
  const variables = missing.map((group) => group.join(' or ')).join(', and ')
  switch (state) {
    case 'usable':
      return null
    case 'maybe':
      return `Works if the project has a secret for it: ${variables}.`
    case 'unset':
      return `The hub's machine has not set ${variables}: the agent will probably not work.`
    case 'not-installed':
      return install
        ? `${name} is not installed where the hub is. There: ${install}`
        : `${name} is not installed where the hub is.`
  }
}
