import type { Hub } from '@farhand/client/requests/hub'
import { pathInRun } from '@farhand/device/find-run/run-paths'
import { whyNotInRun } from '@farhand/device/history/why-not-in-run'
import { noteDeviceName } from '@farhand/device/linked-folders/device-names'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { Version } from '@farhand/protocol/files/file-versions'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { authorInWords } from '../terminal/printing/author-in-words.ts'
import { sizeInWords } from '../terminal/printing/file-size.ts'
import { paint } from '../terminal/printing/paint.ts'
import { flagsToRepeat } from './find-run/flags-to-repeat.ts'
import { linkedRun, type RunFlags } from './find-run/linked-run.ts'
import { whenInWords } from './history/when-in-words.ts'

/** `farhand history`: lists every version of a path in the run's log, newest first. */
export const historyCommand = (given: string, flags: RunFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const { hub, at, link, pathsIn } = await linkedRun(flags, context, given)
    const path = pathInRun(given, pathsIn, context)
    const { history } = await import('@farhand/sync/history/history')
    const names = new Map<string, string>()
    const asking = { signal: context.stop, patienceMs, inWords: pathInWords }
    const onEvent = (event: SeenEvent) => void noteDeviceName(names, event)
    const versions = await history(hub, at, path, { ...asking, onEvent }).catch((error: unknown) => {
      const why = (error as { kind?: string }).kind === 'path' && pathsIn && whyNotInRun(pathsIn.folder, path)
      if (why) throw new Trouble('usage', why, 'The run has no version of it.', error)
      throw versionTrouble(
        error,
        { url: hub.url, path, folder: pathsIn?.folder ?? null },
        shellWord(given) + flagsToRepeat(flags),
        context,
      )
    })
    if (flags.json)
      return context.out(versions.map((version) => `${versionAsJson(path, version)}\n`).join(''))
    const rows = await versionRows(
      { hub, at, versions },
      (by) => authorInWords(by, link?.device, names),
      context,
    )
    context.out(`${paint(context.color).bold(pathInWords(path))}\n${rows}`)
    const other = versions.findIndex(({ state, entry }) => state !== 'current' && entry)
    if (other === -1) return
    const words = `${shellWord(given)} ${other + 1}${flagsToRepeat(flags)}`
    context.out(paint(context.color).dim(`Put one back: ${context.called.farhand} restore ${words}\n`))
    context.out(paint(context.color).dim('With --show it only shows what that would change.\n'))
  })

/** A line for each version, newest first, with the number that `restore` takes. */
export async function versionRows(
  { hub, at, versions }: { hub: Hub; at: RunAddress; versions: readonly Version[] },
  named: (by: SeenAuthor) => string,
  context: CommandContext,
): Promise<string> {
  const { versionChanges } = await import('@farhand/device/history/version-changes')
  const changes = await versionChanges({ hub, at, signal: context.stop }, versions)
  const { bold, dim } = paint(context.color)
  const now = new Date()
  const columns = versions.map((version, n) => [
    String(n + 1),
    `@${version.eventId}`,
    whenInWords(version.at, now),
    wordFor(version),
    entryInWords(version),
    changes[n]!,
  ])
  const widths = columns[0]!.map((_, column) => Math.max(...columns.map((row) => row[column]!.length)))
  const lines = columns.map((row, n) => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padStart(widths[0]!) : cell.padEnd(widths[column]!),
    )
    const line = `  ${cells.join('  ')}  `
    return `${versions[n]!.state === 'current' ? bold(line) : line}${dim(named(versions[n]!.by))}\n`
  })
  return lines.join('')
}

/** The state as users read it: `deleted` is the event that deleted the file, not the version before it. */
function wordFor({ entry, state }: Version): string {
  if (!entry) return 'deleted'
  return state === 'deleted' ? 'replaced' : state
}

/** Trouble for a path or version that the user asked for; `words` are the arguments that list its history. */
export function versionTrouble(
  error: unknown,
  { url, path, folder }: { url: string; path: string; folder: string | null },
  words: string,
  context: CommandContext,
): unknown {
  const { kind } = error as { kind?: string }
  const message = error instanceof Error ? error.message : String(error)
  if (kind === 'path') {
    const next = folder
      ? `It was looked for in the run of ${folder}, as ${pathInWords(path)}.`
      : 'Paths are those of the run, from its top folder.'
    return new Trouble('usage', message, next, error)
  }
  if (kind === 'folder')
    return new Trouble(
      'usage',
      message,
      `\`${context.called.farhand} undo\` takes back what was done to many.`,
      error,
    )
  if (kind === 'version')
    return new Trouble('usage', message, `\`${context.called.farhand} history ${words}\` lists them.`, error)
  if (kind === 'expired') return new Trouble('failed', message, 'Another version may still be there.', error)
  return hubTrouble(error, url, context) ?? error
}

/** The size and kind of a version. */
export function entryInWords({ entry, size }: Pick<Version, 'entry' | 'size'>): string {
  if (!entry) return 'no file'
  const kind = { '100644': '', '100755': 'to run', '120000': 'a link' }[entry.mode]
  return [size === null ? '' : sizeInWords(size), kind].filter((part) => part !== '').join(', ')
}

function versionAsJson(path: string, { eventId, at, by, entry, size, state }: Version): string {
  const what = entry ? { mode: entry.mode, hash: entry.hash, size } : { deleted: true }
  return JSON.stringify({ path, eventId, at, by, state, ...what })
}
