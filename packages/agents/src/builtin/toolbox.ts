import type { z } from 'zod'
import { AskInput } from './ask-user.ts'
import { PlanInput, ProposalInput, planTools } from './plan-tools.ts'
import type { Mode } from './sessions/modes.ts'
import { editTools } from './tools/edit-tools.ts'
import { lookTools } from './tools/look-tools.ts'
import { shellTool } from './tools/shell-tool.ts'
import type { Tool } from './tools/tool.ts'

const workTools: readonly Tool[] = [...lookTools, ...editTools, shellTool]

/** The tool of this name for files and commands; null if it is another. */
export function workTool(name: string): Tool | null {
  return workTools.find((tool) => tool.name === name) ?? null
}

/** Calls of these are not shown as tool calls: clients display what they do in its own way. */
export const isSilent = (name: string) => name === 'plan' || name === 'ask_user'

/** The tools that the model may call in this mode. */
export function toolsFor(
  mode: Mode,
  canAsk: boolean,
): Record<string, { description: string; inputSchema: z.ZodType }> {
  const isPlan = mode === 'plan'
  const allowed = isPlan ? workTools.filter(({ need }) => need === 'look') : workTools
  return {
    ...Object.fromEntries(
      allowed.map(({ name, description, input }) => [name, { description, inputSchema: input }]),
    ),
    plan: { ...planTools.plan, inputSchema: PlanInput },
    ...(canAsk && { ask_user: { ...planTools.ask_user, inputSchema: AskInput } }),
    ...(isPlan && { propose_plan: { ...planTools.propose_plan, inputSchema: ProposalInput } }),
  }
}
