import type { PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Turn } from '../acp-program.ts'

/** The option the user chose; null if the request was dismissed. Rejects when the turn is cancelled meanwhile. */
export async function askPermission(
  { client, sessionId, signal }: Turn,
  toolCall: ToolCallUpdate,
  options: readonly PermissionOption[],
): Promise<string | null> {
  const { outcome } = await client.request(
    'session/request_permission',
    { sessionId, toolCall, options: [...options] },
    // Without it, a cancelled turn would wait for a user who will not answer.
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  signal.throwIfAborted()
  return outcome.outcome === 'selected' ? (outcome as { optionId: string }).optionId : null
}
