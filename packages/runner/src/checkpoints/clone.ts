import { spawn } from 'node:child_process'

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
  const git = (args: string[]) => run(args, root, { ...env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }, signal)
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

async function run(
  args: string[],
  cwd: string,
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const child = spawn('git', args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], signal })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => {
    said = `${said}${piece}`.slice(-2_000)
  })
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${said.trim() || `it ended with ${status}`}`)
}
