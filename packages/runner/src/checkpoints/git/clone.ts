import { runGitAsAgent } from './git.ts'

export type CloneFrom = { url: string; ref?: string | undefined }

/**
 * Clones a repository into an empty workspace, as the agent would: with its environment, through whatever way out it
 * has. Throws what git said if that fails.
 */
export async function clone(
  root: string,
  { url, ref }: CloneFrom,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  if (ref?.startsWith('-')) throw new Error(`there can be no ref called ${ref}`)
  const git = (args: string[]) => runGitAsAgent(args, { cwd: root, env, signal })
  await git(['clone', '--quiet', '--template=', ...(ref ? ['--no-checkout'] : []), '--', url, '.'])
  if (!ref) return
  try {
    await git(['checkout', '--quiet', ref, '--'])
  } catch (error) {
    // A commit that is in no branch is given only to who asks for it by name.
    await git(['fetch', '--quiet', '--', 'origin', ref]).catch(() => {
      throw error
    })
    await git(['checkout', '--quiet', 'FETCH_HEAD', '--'])
  }
}
