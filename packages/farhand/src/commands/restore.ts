import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { notAllWritten } from '@farhand/device/closed-run/closed-folder'
import { restoreVersion } from '@farhand/device/closed-run/restore-version'
import { pathInRun } from '@farhand/device/find-run/run-paths'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { Version } from '@farhand/protocol/files/file-versions'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { authorInWords } from '../terminal/printing/author-in-words.ts'
import { askOrStop } from '../terminal/prompts/ask-or-stop.ts'
import { scanOptions } from './closed-run/scan-options.ts'
import { flagsToRepeat } from './find-run/flags-to-repeat.ts'
import { linkedRun, type RunFlags } from './find-run/linked-run.ts'
import { whenInWords } from './history/when-in-words.ts'
import { entryInWords, versionRows, versionTrouble } from './history.ts'

type Flags = RunFlags & { show?: unknown }

/** `farhand restore`: makes a version of a path the current one, in every folder of the run; with `--show` only shows the difference. */
export const restoreCommand = (
  given: string,
  version: string | undefined,
  flags: Flags,
  context: CommandContext,
) =>
  withJsonErrors(flags, context, async () => {
    const said = versionNamed(given, version, flags, context)
    const { name } = said
    const { hub, at, link, folder, pathsIn } = await linkedRun(flags, context, name, { changes: true })
    const path = pathInRun(name, pathsIn, context)
    const asking = { signal: context.stop, patienceMs, inWords: pathInWords }
    const inTrouble = (error: unknown) => {
      throw versionTrouble(
        error,
        { url: hub.url, path, folder: pathsIn?.folder ?? null },
        shellWord(name) + flagsToRepeat(flags),
        context,
      )
    }
    const isListed = said.is !== 'event' || flags.show
    const { history } = await import('@farhand/sync/history/history')
    const versions = isListed ? await history(hub, at, path, asking).catch(inTrouble) : []
    const eventId =
      said.is === 'event'
        ? said.eventId
        : said.is === 'number'
          ? numbered(versions, said.number, name, flags, context)
          : await asked({ hub, at, versions }, link?.device, context)
    if (flags.show) {
      const { showVersionDiff } = await import('./diff/show-restore-diff.ts')
      return await showVersionDiff({ hub, at, path, versions }, eventId, flags, context)
    }
    const place = { folder, stateFolderPath: stateFolderPath(flags.state, context), isLinked: link !== null }
    const { done, notPut, isSame } = await restoreVersion(
      { hub, at, path, eventId },
      place,
      asking,
      scanOptions(context),
    ).catch(inTrouble)
    if (flags.json) {
      const { version, replaced, madeRoom } = done
      const told = {
        path,
        restored: eventId,
        eventId: done.eventId,
        replaced: replaced?.eventId ?? null,
        madeRoom,
      }
      return context.out(`${JSON.stringify({ ...told, entry: version.entry })}\n`)
    }
    const shown = pathInWords(path)
    if (isSame) return context.out(`${shown} is at that version already; nothing was changed.\n`)
    const entry = entryInWords(done.version)
    const what = done.version.entry
      ? `${shown} is again the version from ${whenInWords(done.version.at, new Date())}${entry && ` (${entry})`}.`
      : `${shown} is deleted again.`
    context.out(`${what}\n`)
    for (const other of done.madeRoom) context.out(`${pathInWords(other)} was in its way and is deleted.\n`)
    const trouble = folder === null ? null : notAllWritten(notPut, folder)
    if (trouble) throw trouble
    if (!done.replaced?.entry) return
    const back = `${context.called.farhand} restore ${shellWord(`${name}@${done.replaced.eventId}`)}${flagsToRepeat(flags)}`
    context.out(`What it replaced stays too: ${back}\n`)
  })

type Said = { name: string } & (
  | { is: 'event'; eventId: number }
  | { is: 'number'; number: number }
  | { is: 'nothing' }
)

/** Reads `src/main.ts 2`, `src/main.ts @42` or `src/main.ts@42`. The last @ counts: names may contain others. */
function versionNamed(
  given: string,
  version: string | undefined,
  flags: Flags,
  { called, cwd, ask }: CommandContext,
): Said {
  const [, at, digits] = /^(@?)(\d+)$/.exec(version ?? '') ?? []
  if (digits && at) return { name: given, is: 'event', eventId: Number(digits) }
  if (digits) return { name: given, is: 'number', number: Number(digits) }
  const said = version === undefined ? /^(.+)@(\d+)$/s.exec(given) : null
  if (said) return { name: said[1]!, is: 'event', eventId: Number(said[2]) }
  // `x@y` means a version, unless it is a file, such as `icon@2x.png`.
  const [, name, wrong] = /^(.+)@([^@./]*)$/s.exec(given) ?? []
  const isVersion = version === undefined && name !== undefined && !existsSync(resolve(cwd, given))
  if (version === undefined && !isVersion && ask && !flags.json) return { name: given, is: 'nothing' }
  const meant = isVersion ? name : given
  const history = `${called.farhand} history ${shellWord(meant)}${flagsToRepeat(flags)}`
  const bad = version ?? (isVersion ? wrong : '')
  const what = bad ? `${bad} is not a version of ${meant}.` : `Which version of ${meant}?`
  const how = 'A version is a number of its history, or @ and an event.'
  throw new Trouble('usage', `${what} ${how}`, `\`${history}\` lists them.`)
}

function numbered(
  versions: readonly Version[],
  number: number,
  name: string,
  flags: Flags,
  { called }: CommandContext,
): number {
  const found = versions[number - 1]
  if (found) return found.eventId
  throw new Trouble(
    'usage',
    `${name} has no version ${number}: there ${versions.length === 1 ? 'is 1' : `are ${versions.length}`}.`,
    `\`${called.farhand} history ${shellWord(name)}${flagsToRepeat(flags)}\` lists them; an event is written with an @.`,
  )
}

/** Shows all versions and asks which one the user means. */
async function asked(
  run: { hub: Hub; at: RunAddress; versions: readonly Version[] },
  device: string | undefined,
  context: CommandContext,
): Promise<number> {
  context.note(await versionRows(run, (by) => authorInWords(by, device), context))
  for (;;) {
    const answer = (await askOrStop('Which one? Its number, or Enter for none: ', context))?.trim() ?? ''
    if (answer === '')
      throw new Trouble('mustAsk', 'Nothing was changed.', 'Name a version: its number in the list.')
    const found = run.versions[Number(answer) - 1]
    if (found) return found.eventId
  }
}
