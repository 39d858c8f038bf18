import { post } from '@farhand/client/post/post'
import { Trouble } from '@farhand/device/trouble/trouble'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { CommandContext } from '../../context/command-context.ts'
import { pipedOrAsked, saidOrPiped } from '../../terminal/prompts/piped-text.ts'
import type { OpenedRun } from './join-run.ts'
import type { AgentRunFlags } from './run-flags.ts'

type FirstMessage = {
  /** Undefined if the user only joins a run, or types the message later. */
  prompt: string | undefined
  /** The lines that the user types; null if the user cannot type. */
  lines: CommandContext['lines']
}

/** The message that the agent gets first, from the command line, a pipe or a question to the user; null if the user gives none. */
export async function readFirstMessage(
  said: string | undefined,
  flags: AgentRunFlags,
  context: CommandContext,
): Promise<FirstMessage | null> {
  const isNew = flags.run === undefined
  // With piped output the user gives one message and types nothing more.
  const lines = flags.json || flags.detach || context.isPiped ? null : context.lines
  const canAsk = context.isPiped && !flags.json && !flags.detach
  // Joining a run reads no input: what is piped in then may belong to another program, or never end.
  const piped = said === undefined && isNew && !lines ? await pipedOrAsked(context, canAsk) : undefined
  const prompt = said === undefined ? piped : await saidOrPiped(said, context)
  if (prompt === null || context.stop.aborted) return null
  if (prompt !== undefined && prompt.trim() === '')
    throw new Trouble('usage', 'The message is empty.', 'Write what the agent should do.')
  if (isNew && prompt === undefined && !lines)
    throw new Trouble(
      'usage',
      'What should the agent do?',
      `Give a message, or pipe it in: ${context.called.farhand} run --agent <id> "..."`,
    )
  return { prompt, lines }
}

/** Sends the run's terms, then the message; returns the message's event id, or null without a message. */
export async function sendFirstMessage(
  { hub, at, link }: Pick<OpenedRun, 'hub' | 'at' | 'link'>,
  terms: readonly Notification[],
  { prompt, isNew }: { prompt: string | undefined; isNew: boolean },
  signal: AbortSignal,
): Promise<number | null> {
  for (const one of terms) await post(hub, at, one, { signal })
  if (prompt === undefined) return null
  // Else the agent might begin with old files: its folder was not synced for a while.
  if (link && !isNew)
    await unlessStopped(
      signal,
      link.inStep.catch(() => {}),
    )
  const said = event('user_message', { content: prompt, when: 'queue' })
  return (await post(hub, at, said, { signal })).lastEventId
}
