import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { isInside, realPathOf } from '../../real-path.ts'

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

async function whereItIs(at: string): Promise<string> {
  const real = await realPathOf(at)
  if (real === null) throw new Error(`${at} is a link that leads nowhere`)
  return real
}
