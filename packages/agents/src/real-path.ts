import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'

/**
 * Where a path leads with links resolved, also for a file that does not exist yet. Null for a link that leads nowhere: the file could
 * still be written through it.
 */
export async function realPathOf(at: string): Promise<string | null> {
  try {
    return await realpath(at)
  } catch (error) {
    if (path.dirname(at) === at) throw error
    const isThere = await lstat(at).then(
      () => true,
      () => false,
    )
    const above = isThere ? null : await realPathOf(path.dirname(at))
    return above === null ? null : path.join(above, path.basename(at))
  }
}

export function isInside(folder: string, at: string): boolean {
  const way = path.relative(folder, at)
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
