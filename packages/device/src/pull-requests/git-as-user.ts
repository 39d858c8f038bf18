import type { UserRepository } from '../commits/user-repository.ts'
import { gitCall } from '../git/run-git.ts'
import { type Ended, programAsUser, type StartedBy } from './program-as-user.ts'

type Asked = { input?: string; hooks?: boolean }

/**
 * Runs git in the user's repository with their settings, credentials and keys. Programs inside the work tree, which a
 * run may have written, are not run; hooks only with `hooks`. Null if there is no git.
 */
export function gitAsUser(
  args: readonly string[],
  repository: UserRepository,
  by: StartedBy,
  { input = '', hooks = false }: Asked = {},
): Promise<Ended | null> {
  const at = repository.place
  const call = gitCall(args, { cwd: repository.folder, env: {}, at }, { hooks })
  return programAsUser(call.program, call.args, repository.folder, by, { input, env: call.env })
}
