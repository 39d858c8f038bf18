import type { RunMode } from '@farhand/protocol/schemas/api'
import type { AgentSide } from '@farhand/story/items/story'
import type { UnsentAction } from '../outbox/actions.ts'

/** The settings of a run, and the options chosen for its agent. */
export type CurrentSettings = {
  mode: RunMode
  policy: unknown
  agentMode: string | null
  options: ReadonlyMap<string, string>
}

/** The settings with the user's unsent choices applied: a switch that jumped back would be pressed again. */
export function currentSettings(
  { agent, mode, policy }: { agent: AgentSide; mode: RunMode; policy: unknown },
  unsent: readonly UnsentAction[],
): CurrentSettings {
  const options = new Map(agent.options.map((option) => [option.id, option.value]))
  let now = { mode, policy, agentMode: agent.mode }
  for (const { action, state } of unsent) {
    if (state === 'refused') continue
    if (action.do === 'run-mode')
      now = { ...now, mode: action.mode, policy: action.policy === undefined ? now.policy : action.policy }
    if (action.do === 'agent-mode') now = { ...now, agentMode: action.modeId }
    if (action.do === 'option' && typeof action.value === 'string') options.set(action.configId, action.value)
  }
  return { ...now, options }
}
