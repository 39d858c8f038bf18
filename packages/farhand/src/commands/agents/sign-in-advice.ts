import { runInWords } from '@farhand/device/wording/run-in-words'
import type { AgentEntry } from '@farhand/runner/catalogue/agent-entry'

/**
 * What the user can do when an agent asks them to sign in: which variable to set and how to start the agent again, or how to
 * sign in with its own command. A running agent does not see a variable that was set after its start.
 */
export function signInWords(
  { wants, passes, signIn }: Pick<AgentEntry, 'wants' | 'passes' | 'signIn'>,
  run: string,
  farhand: string,
): string {
  const keys = [...new Set([...wants.flat(), ...passes.filter((name) => /_(KEY|TOKEN)$/.test(name))])]
  const again = `start it again: \`${farhand} close ${runInWords(run)}\`, then \`${farhand} run --run ${runInWords(run)} "..."\``
  const set = keys.length > 0 ? `set ${oneOf(keys)}, and ${again}` : null
  const login = signIn ? `sign in with ${signIn}, and send the message again` : null
  const todo = [set, login].filter((one) => one !== null).join('; or ')
  if (todo === '') return `Sign in to it on its machine, or ${again}.`
  return `${todo[0]!.toUpperCase()}${todo.slice(1)}.`
}

const oneOf = (names: readonly string[]) =>
  names.length > 1 ? `one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0]
