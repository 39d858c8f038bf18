import type { CommandContext } from '../context/command-context.ts'

/** Is an agent of our own, on standard input and output. It ends the process by itself. */
export async function ownAgentCommand(name: 'rehearsal' | 'builtin', { env }: CommandContext): Promise<void> {
  if (name === 'rehearsal') (await import('@farhand/agents/rehearsal/run-rehearsal')).runRehearsal(env)
  else (await import('@farhand/agents/builtin/run-builtin')).runBuiltin(env)
  await new Promise(() => {})
}
