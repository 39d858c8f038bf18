import { lineInWords } from '@farhand/device/wording/path-in-words'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ReachHub } from './reach-hub.ts'

/** The result of a tool, as text. */
export const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/**
 * The result of a tool call. What went wrong becomes a result that says what to do next: in many hosts an error of the protocol does not reach
 * the agent.
 */
export async function answered<Result>(
  act: () => Promise<Result>,
  reach: Pick<ReachHub, 'explain'>,
): Promise<Result | CallToolResult> {
  try {
    return await act()
  } catch (error) {
    const trouble = reach.explain(error)
    const message = trouble?.message ?? (error instanceof Error ? error.message : String(error))
    const next = trouble?.nextStep ?? 'Tell the user about it.'
    return { ...said(`${lineInWords(message)}\n${lineInWords(next)}`), isError: true }
  }
}
