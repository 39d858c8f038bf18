import type { Hub } from '@farhand/client/requests/hub'
import { fileDiffs } from '@farhand/device/diff/contents-of'
import { sizesIn, sizesOf } from '@farhand/device/diff/sizes-in'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { FileVersions, Version } from '@farhand/protocol/files/file-versions'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { PathChange } from '@farhand/sync/history/step-to-undo'
import type { CommandContext } from '../../context/command-context.ts'
import { diffInWords } from './diff-in-words.ts'

type Place = { hub: Hub; at: RunAddress }

/** Prints the diff that restoring these files would make: lines with - are what the files are now. */
export async function showRestoreDiff(
  { hub, at }: Place,
  { back, versions }: { back: readonly PathChange[]; versions: FileVersions },
  context: CommandContext,
): Promise<void> {
  const changes = back.map(({ path, before = null, after }) => ({ path, before: after, after: before }))
  const diffs = await fileDiffs({ hub, at, signal: context.stop }, changes, sizesIn(versions))
  for (const diff of diffs) context.out(diffInWords(diff, { before: 'now', after: 'then' }, context))
}

/** Prints the diff that restoring one version of a path would make. */
export async function showVersionDiff(
  { hub, at, path, versions }: Place & { path: string; versions: readonly Version[] },
  eventId: number,
  { json }: { json?: unknown },
  context: CommandContext,
): Promise<void> {
  const version = versions.find((one) => one.eventId === eventId)
  const shown = pathInWords(path)
  if (!version)
    throw new Trouble('usage', `${shown} has no version of event ${eventId}.`, 'Its history lists them.')
  const before = versions.find(({ state }) => state === 'current')?.entry ?? null
  const after = version.entry
  const of = { hub, at, signal: context.stop }
  const [diff] = await fileDiffs(of, [{ path, before, after }], sizesOf(versions))
  if (json) return context.out(`${JSON.stringify({ path, version: eventId, ...diff!.content })}\n`)
  const isSame = before?.hash === after?.hash && before?.mode === after?.mode
  if (isSame) return context.out(`${shown} is at that version already.\n`)
  context.out(diffInWords(diff!, { before: 'now', after: `@${eventId}` }, context))
}
