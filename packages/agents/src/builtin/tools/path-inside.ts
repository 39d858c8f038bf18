import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'

/** The absolute path of a file in the workspace; throws if it is outside, also through a link. */
export async function pathInside(cwd: string, name: string): Promise<string> {
  const at = path.resolve(cwd, name)
  if (!isInside(path.resolve(cwd), at) || !isInside(await realpath(cwd), await whereItIs(at)))
    throw new Error(`${name} is outside of the workspace; only files inside can be used`)
  return at
}

/** Whether a path, with links resolved, is in a `.git`: a program that may write there may run anything. */
export async function isOfGit(at: string): Promise<boolean> {
  return (await whereItIs(at)).split(path.sep).some((part) => part.toLowerCase() === '.git')
}

function isInside(folder: string, at: string): boolean {
  const way = path.relative(folder, at)
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}

async function whereItIs(at: string): Promise<string> {
  try {
    return await realpath(at)
  } catch (error) {
    if (path.dirname(at) === at) throw error
    // A dangling link has no real path and could still be written through.
    if (await isThere(at)) throw new Error(`${at} is a link that leads nowhere`)
    return path.join(await whereItIs(path.dirname(at)), path.basename(at))
  }
}

const isThere = (at: string) =>
  lstat(at).then(
    () => true,
    () => false,
  )
