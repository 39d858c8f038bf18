import type { UserRepository } from '@farhand/device/commits/user-repository'
import { gitCall } from '@farhand/device/git/run-git'
import type { CommandContext } from '../context/command-context.ts'
import { type Ended, programAsUser } from './program-as-user.ts'

type Asked = { input?: string; hooks?: boolean }

/**
 * Runs git in the user's repository with their settings, credentials and keys. Programs inside the work tree, which a
 * run may have written, are not run; hooks only with `hooks`. Null if there is no git.
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
