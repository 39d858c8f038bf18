import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'

/** The absolute path of a file in the workspace; throws if it is outside, also through a link. */
export async function workspacePath(cwd: string, name: string): Promise<string> {
  const at = path.resolve(cwd, name)
  const root = await realpath(cwd)
  if (!isInside(path.resolve(cwd), at) || !isInside(root, await whereItIs(at)))
    throw new Error('it is outside of the workspace')
  return at
}

function isInside(folder: string, at: string): boolean {
  const way = path.relative(folder, at)
  return way !== '' && way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}

// A dangling link has no real path and could still be written through: it counts as outside.
async function whereItIs(at: string): Promise<string> {
  try {
    return await realpath(at)
  } catch {
    const isThere = await lstat(at).then(
      () => true,
      () => false,
    )
    if (isThere) throw new Error('it is a link that leads nowhere')
    return path.join(await realpathOfFolder(path.dirname(at)), path.basename(at))
  }
}

async function realpathOfFolder(folder: string): Promise<string> {
  return path.dirname(folder) === folder ? folder : whereItIs(folder)
}
