import type { Notification } from '@farhand/protocol/wire/event'

/** What an agent says, as it stands in the log. */
export type AcpMessage = Notification

/** An agent to talk to. Code that uses it does not have to know where the agent runs. */
export interface AgentConnection {
  /** Sends a prompt to the agent and yields the events of its turn until that is complete. */
  prompt(params: { sessionId: string; prompt: string }): AsyncIterable<AcpMessage>
  /** Stops the turns that are under way; messages that still wait for theirs stay. */
  cancel(params: { sessionId: string }): Promise<void>
  /** Switches the run between interactive and background, or the agent into a mode of its own. */
  setMode(params: { sessionId: string; mode: string }): Promise<void>
  /** Calls the handler for everything that happens from now on, until the function it answers with is called. */
  onEvent(handler: (event: AcpMessage) => void): () => void
}
