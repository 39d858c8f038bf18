import type { Notification } from '@farhand/protocol/wire/event'

/** An event of the agent's run, as it is in the log. */
export type AcpMessage = Notification

/** An agent to talk to. Code that uses it does not have to know where the agent runs. */
export interface AgentConnection {
  /** Sends a prompt to the agent and yields the events of its turn until that is complete. */
  prompt(params: { sessionId: string; prompt: string }): AsyncIterable<AcpMessage>
  /** Cancels the open turns; messages whose turn has not begun stay. */
  cancel(params: { sessionId: string }): Promise<void>
  /** Switches the run between interactive and background, or the agent into a mode of its own. */
  setMode(params: { sessionId: string; mode: string }): Promise<void>
  /** Calls the handler for every event from now on; the returned function ends that. */
  onEvent(handler: (event: AcpMessage) => void): () => void
}
