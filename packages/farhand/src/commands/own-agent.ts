import type { CommandContext } from '../context/command-context.ts'

/** Runs one of Farhand's own agents on standard input and output; the agent ends the process. */
export async function ownAgentCommand(name: 'rehearsal' | 'builtin', { env }: CommandContext): Promise<void> {
  if (name === 'rehearsal') (await import('@farhand/agents/rehearsal/run-rehearsal')).runRehearsal(env)
  else (await import('@farhand/agents/builtin/run-builtin')).runBuiltin(env)
  await new Promise(() => {})
}
