import type { PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Turn } from '../acp-program.ts'

/** The option a person chose; null when they turned away instead. Rejects when the turn is cancelled meanwhile. */
export async function askPermission(
  { client, sessionId, signal }: Turn,
  toolCall: ToolCallUpdate,
  options: readonly PermissionOption[],
): Promise<string | null> {
  const { outcome } = await client.request(
    'session/request_permission',
    { sessionId, toolCall, options: [...options] },
    // Without it a cancelled turn would wait for a person who has already left.
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  signal.throwIfAborted()
  return outcome.outcome === 'selected' ? (outcome as { optionId: string }).optionId : null
}
