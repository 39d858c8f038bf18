import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Message } from './orders.ts'
import type { Knows } from './turn.ts'

/** What an agent is sent for a message: what it has to know first, and then what the person said. */
export async function promptBlocks(
  message: Message,
  knows: Knows,
  changed: readonly { path: string; by: string }[],
): Promise<ContentBlock[]> {
  const before: string[] = []
  if (changed.length > 0)
    before.push(`These files changed under you: ${changed.map(({ path }) => path).join(', ')}`)
  if (knows.isAgain)
    before.push(
      'You were interrupted while you worked on the message below. Look at what is done, and continue.',
    )
  return [...before, message.content].map((text) => ({ type: 'text', text }))
}
