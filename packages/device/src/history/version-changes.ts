import type { Hub } from '@farhand/client/requests/hub'
import type { Version } from '@farhand/protocol/files/file-versions'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { contentsOf } from '../diff/contents-of.ts'
import { fileDiff } from '../diff/file-diff.ts'
import { sizesOf } from '../diff/sizes-in.ts'

const mostCompared = 50

/** The line changes of each version against the one before it, newest first, as `+3 -1`; '' where unknown. */
export async function versionChanges(
  at: { hub: Hub; at: RunAddress; signal: AbortSignal },
  versions: readonly Version[],
): Promise<string[]> {
  const compared = versions.slice(0, mostCompared)
  const entries = compared.map(({ entry }) => entry)
  // The list of versions is useful without this column.
  const content = await contentsOf(at, entries, sizesOf(versions)).catch(() => null)
  if (!content) return versions.map(() => '')
  return versions.map(({ entry: after }, n) => {
    const before = versions[n + 1]?.entry ?? null
    if (n >= mostCompared || (n === mostCompared - 1 && before)) return ''
    const { content: how } = fileDiff({ path: '', before, after }, content(before), content(after))
    return how.is === 'text' ? `+${how.added} -${how.removed}` : ''
  })
}
