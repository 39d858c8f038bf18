import type { ToolCallContent, ToolKind } from '@agentclientprotocol/sdk'
import { textContent } from '../text-content.ts'
import { mayDo, nextCallId } from './ask.ts'
import type { Stage } from './stage.ts'

export type Call = {
  /** As in "I could not <this>". */
  words: string
  kind: ToolKind
  paths: readonly string[]
  rawInput: Readonly<Record<string, unknown>>
  asksFirst: boolean
  /** Runs the call; `show` replaces the displayed content. Throws to fail. */
  work(show: (content: ToolCallContent[]) => Promise<void>): Promise<Outcome>
}

export type Outcome = {
  /** As in "I <this>". */
  words: string
  failed?: boolean
  content: ToolCallContent[]
  rawOutput?: unknown
}

/** Performs one tool call up to its end and says how it went; rejects only when cancelled. */
export async function toolCall(stage: Stage, call: Call): Promise<void> {
  const { turn } = stage
  const toolCallId = nextCallId(stage)
  const about = {
    toolCallId,
    title: call.words[0]?.toUpperCase() + call.words.slice(1),
    kind: call.kind,
    locations: call.paths.map((path) => ({ path })),
    rawInput: call.rawInput,
  }
  const first = call.asksFirst ? ('pending' as const) : ('in_progress' as const)
  await turn.update({ sessionUpdate: 'tool_call', ...about, status: first })
  const end = (status: 'completed' | 'failed', content: ToolCallContent[], rawOutput?: unknown) =>
    turn.update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status,
      content,
      ...(rawOutput !== undefined && { rawOutput }),
    })
  try {
    if (call.asksFirst) {
      if (!(await mayDo(stage, about))) {
        await end('failed', [textContent('Permission was not given.')])
        await stage.say(`I did not ${call.words}: permission was not given.`)
        return
      }
      await turn.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' })
    }
    const { words, failed, content, rawOutput } = await call.work((shown) =>
      turn.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content: shown }),
    )
    await end(failed ? 'failed' : 'completed', content, rawOutput)
    turn.signal.throwIfAborted()
    await stage.say(`I ${words}.`)
  } catch (error) {
    if (turn.signal.aborted) {
      // A call without an end would look as if it ran forever.
      await end('failed', [textContent('Cancelled.')])
      throw error
    }
    const why = reason(error)
    await end('failed', [textContent(why)])
    await stage.say(`I could not ${call.words}: ${why}.`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a file is where a folder should be',
  EACCES: 'it is not allowed here',
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? message ?? String(error)
}
