import type { AgentsHere, ListedAgent } from '@farhand/protocol/agents-here'

/** The agent that is proposed: the one chosen last time, else one that can work; the rehearsal if there is no other. */
export function proposedAgent({ agents }: AgentsHere, last: string): string {
  if (agents.some(({ id }) => id === last)) return last
  const usable = agents.filter(({ state }) => state === 'usable')
  return (usable.find(({ id }) => id !== 'rehearsal') ?? usable[0] ?? agents[0])?.id ?? ''
}

/** What has to be said of an agent that is chosen; null if it can just work. */
export function agentHint({ state, missing, install, name }: ListedAgent): string | null {
  const variables = missing.map((group) => group.join(' or ')).join(', and ')
  switch (state) {
    case 'usable':
      return null
    case 'maybe':
      return `Works if the project has a secret for it: ${variables}.`
    case 'unset':
      return `The hub's machine has not set ${variables}: the agent will hardly be able to work.`
    case 'not-installed':
      return install
        ? `${name} is not installed where the hub is. There: ${install}`
        : `${name} is not installed where the hub is.`
  }
}
