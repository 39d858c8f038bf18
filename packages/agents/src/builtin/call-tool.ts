import path from 'node:path'
import type { ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Turn } from '../acp-program.ts'
import { textContent } from '../text-content.ts'
import { askPermission } from './ask-permission.ts'
import { verdict } from './sessions/modes.ts'
import type { Session } from './sessions/session.ts'
import type { Need, Place, Tool } from './tools/tool.ts'

export type Result = { text: string; failed: boolean }

const namesOfCalls: Readonly<Record<Need, string>> = { look: 'looks', edit: 'edits', shell: 'commands' }
const refused =
  'The person did not allow this. Do not try to reach the same in another way; ask what they want instead.'

type Calling = { session: Session; turn: Turn; env: Place['env']; acpId: string }

/** Makes one call, asks for permission where needed, and reports it up to its end. Rejects only when cancelled. */
export async function callTool(tool: Tool, given: unknown, calling: Calling): Promise<Result> {
  const { session, turn, env, acpId: toolCallId } = calling
  const update = (fields: Omit<ToolCallUpdate, 'toolCallId'>) =>
    turn.update({ sessionUpdate: 'tool_call_update', toolCallId, ...fields })
  const end = async (text: string, failed: boolean, content: ToolCallContent[] = [textContent(text)]) => {
    await update({ status: failed ? 'failed' : 'completed', content })
    return { text, failed }
  }
  try {
    const input = tool.input.parse(given)
    const about = aboutCall(tool, input, session.cwd)
    const place = { cwd: session.cwd, env, signal: turn.signal }
    await update(about)
    const { content, run, need = tool.need } = await tool.prepare(input, place)
    const may = verdict(session.mode, need, session.always)
    if (may === 'refuse')
      return await end('Nothing can be changed in plan mode: call propose_plan first.', true)
    if (may === 'ask') {
      if (content.length > 0) await update({ content })
      if (!(await isAllowed(calling, need, { toolCallId, ...about, content })))
        return await end(refused, true)
    }
    await update({ status: 'in_progress' })
    const outcome = await run((shown) => void update({ content: shown }).catch(() => {}))
    turn.signal.throwIfAborted()
    return await end(outcome.text, outcome.failed ?? false, outcome.content)
  } catch (error) {
    // A call without an end would look as if it ran forever.
    if (!turn.signal.aborted) return await end(error instanceof Error ? error.message : String(error), true)
    await end('Cancelled.', true)
    throw error
  }
}

/** How a client displays the call. */
export function aboutCall(tool: Tool, input: unknown, cwd: string) {
  return {
    title: tool.title(input),
    kind: tool.kind,
    locations: tool.paths(input).map((name) => ({ path: path.resolve(cwd, name) })),
    rawInput: input,
  }
}

async function isAllowed({ session, turn }: Calling, need: Need, call: ToolCallUpdate): Promise<boolean> {
  const chosen = await askPermission(turn, call, [
    { optionId: 'allow-once', name: 'Allow', kind: 'allow_once' },
    {
      optionId: 'allow-always',
      name: `Allow all ${namesOfCalls[need]} in this session`,
      kind: 'allow_always',
    },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ])
  if (chosen === 'allow-always') session.note({ always: [...session.always, need] })
  return chosen === 'allow-once' || chosen === 'allow-always'
}
