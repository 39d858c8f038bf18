import type { RunMode } from '@farhand/protocol/schemas/api'
import type { Unsent } from '../outbox/actions.ts'
import type { AgentSide } from '../story/story.ts'

/** How a run is worked at, and what of the agent is chosen. */
export type RunSettings = {
  mode: RunMode
  policy: unknown
  agentMode: string | null
  options: ReadonlyMap<string, string>
}

/** What holds, or will once what was chosen here has arrived: a switch that sprang back would be pressed again. */
export function settingsNow(
  { agent, mode, policy }: { agent: AgentSide; mode: RunMode; policy: unknown },
  unsent: readonly Unsent[],
): RunSettings {
  const options = new Map(agent.options.map((option) => [option.id, option.value]))
  let now = { mode, policy, agentMode: agent.mode }
  for (const { deed, state } of unsent) {
    if (state === 'refused') continue
    if (deed.do === 'run-mode')
      now = { ...now, mode: deed.mode, policy: deed.policy === undefined ? now.policy : deed.policy }
    if (deed.do === 'agent-mode') now = { ...now, agentMode: deed.modeId }
    if (deed.do === 'option' && typeof deed.value === 'string') options.set(deed.configId, deed.value)
  }
  return { ...now, options }
}
