import type { UserRepository } from '@farhand/device/commits/user-repository'
import { gitCall } from '@farhand/device/git/run-git'
import type { CommandContext } from '../context/command-context.ts'
import { type Ended, programAsUser } from './program-as-user.ts'

type Asked = { input?: string; hooks?: boolean }

/**
 * Runs git in a repository of the user's with what they have set up: settings, credentials, keys. Programs of the work tree,
 * where a run may have written them, are not run; hooks only if that is said. Null if there is no git.
 */
export function gitAsUser(
  args: readonly string[],
  repository: UserRepository,
  context: CommandContext,
  { input = '', hooks = false }: Asked = {},
): Promise<Ended | null> {
  const at = repository.place
  const call = gitCall(args, { cwd: repository.folder, env: {}, at }, { hooks })
  return programAsUser(call.program, call.args, repository.folder, context, { input, env: call.env })
}
