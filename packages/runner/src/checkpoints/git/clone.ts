import { runGitAsAgent } from './git.ts'

export type CloneFrom = { url: string; ref?: string | undefined }

/**
 * Clones a repository into an empty workspace as the agent would, with its environment and network access. Throws
 * git's message on failure.
 */
export async function clone(
  root: string,
  { url, ref }: CloneFrom,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  if (ref?.startsWith('-')) throw new Error(`not a valid ref: ${ref}`)
  const git = (args: string[]) => runGitAsAgent(args, { cwd: root, env, signal })
  await git(['clone', '--quiet', '--template=', ...(ref ? ['--no-checkout'] : []), '--', url, '.'])
  if (!ref) return
  try {
    await git(['checkout', '--quiet', ref, '--'])
  } catch (error) {
    // A server gives a commit that is in no branch only if asked for it by name.
    await git(['fetch', '--quiet', '--', 'origin', ref]).catch(() => {
      throw error
    })
    await git(['checkout', '--quiet', 'FETCH_HEAD', '--'])
  }
}
