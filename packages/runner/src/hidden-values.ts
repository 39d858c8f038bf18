import { keysOf } from './agent/agent-secrets.ts'
import type { NamedSecret } from './events/redaction.ts'
import type { RunnerOptions } from './runner-options.ts'

/** All that nobody is to see in what a runner says and keeps: its secrets, the keys of its agent, and its own token. */
export function hiddenValues({ secrets = [], agent, hub }: RunnerOptions): NamedSecret[] {
  return [...secrets, ...keysOf(agent.command), { name: 'FARHAND_RUNNER_TOKEN', value: hub.token ?? '' }]
}
