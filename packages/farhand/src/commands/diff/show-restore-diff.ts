import type { Hub } from '@farhand/client/requests/hub'
import { contentsOf } from '@farhand/device/diff/contents-of'
import { fileDiff } from '@farhand/device/diff/file-diff'
import { sizesIn } from '@farhand/device/diff/sizes-in'
import type { FileVersions } from '@farhand/protocol/files/file-versions'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { PathChange } from '@farhand/sync/history/step-to-undo'
import type { CommandContext } from '../../context/command-context.ts'
import { diffInWords } from './diff-in-words.ts'

/** Prints the diff that restoring these files would make: lines with - are what the files are now. */
export async function showRestoreDiff(
  { hub, at }: { hub: Hub; at: RunAddress },
  { back, versions }: { back: readonly PathChange[]; versions: FileVersions },
  context: CommandContext,
): Promise<void> {
  const sides = { before: 'now', after: 'then' }
  const changes = back.map(({ path, before, after }) => ({
    path,
    before: after ?? null,
    after: before ?? null,
  }))
  const entries = changes.flatMap(({ before, after }) => [before, after])
  const content = await contentsOf({ hub, at, signal: context.stop }, entries, sizesIn(versions))
  for (const change of changes)
    context.out(diffInWords(fileDiff(change, content(change.before), content(change.after)), sides, context))
}
