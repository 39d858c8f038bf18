import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { isInside, realPathOf } from '../real-path.ts'

/** The absolute path of a file in the workspace; throws if it is outside, also through a link, or the workspace itself. */
export async function workspacePath(cwd: string, name: string): Promise<string> {
  const at = path.resolve(cwd, name)
  if (isInside(path.resolve(cwd), at)) {
    const [root, real] = [await realpath(cwd), await realPathOf(at)]
    if (real === null) throw new Error('it is a link that leads nowhere')
    if (real !== root && isInside(root, real)) return at
  }
  throw new Error('it is outside of the workspace')
}
