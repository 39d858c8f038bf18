import type { SeenEvent } from '@farhand/protocol/seen-event'
import type { Version } from '@farhand/sync/file-versions'
import type { Link } from '@farhand/sync/state-folder'
import { accessAgain } from './access-again.ts'
import { authorInWords } from './author-in-words.ts'
import { noteDeviceName } from './device-names.ts'
import { sizeInWords } from './file-size.ts'
import { hubTrouble, patienceMs } from './find-run.ts'
import { linkedRun, pathInRun, type RunFlags } from './linked-run.ts'
import { shellWord } from './note-in-words.ts'
import { paint } from './paint.ts'
import { pathInWords } from './path-in-words.ts'
import { Trouble } from './trouble.ts'
import { whyUnknown } from './why-unknown.ts'
import { withJsonErrors } from './with-json-errors.ts'
import type { World } from './world.ts'

/** Lists every version of a path that the run's log knows, newest first. */
export const historyCommand = (given: string, flags: RunFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const { hub, at, link } = await linkedRun(flags, world, given)
    const path = pathInRun(given, link, world)
    const { history } = await import('@farhand/sync/history')
    const names = new Map<string, string>()
    const asking = { signal: world.stop, patienceMs, inWords: pathInWords }
    const onEvent = (event: SeenEvent) => void noteDeviceName(names, event)
    const versions = await history(hub, at, path, { ...asking, onEvent }).catch((error: unknown) => {
      const why = (error as { kind?: string }).kind === 'path' && link && whyUnknown(link.folder, path)
      if (why)
        throw new Trouble('usage', why, 'Nothing of it is in the run, so there is nothing to list.', error)
      throw versionTrouble(error, { url: hub.url, path, link }, shellWord(given) + accessAgain(flags), world)
    })
    if (flags.json) return world.out(versions.map((version) => `${versionAsJson(path, version)}\n`).join(''))
    const width = Math.max(...versions.map(({ eventId }) => String(eventId).length))
    const { bold, dim } = paint(world.color)
    world.out(`${bold(pathInWords(path))}\n`)
    for (const version of versions) {
      const { eventId, at, by, state } = version
      const event = `@${eventId}`.padEnd(width + 1)
      const line = `  ${event}  ${timeInWords(at)}  ${wordFor(version).padEnd(9)}  ${entryInWords(version).padEnd(22)}  `
      world.out(`${state === 'current' ? bold(line) : line}${dim(authorInWords(by, link?.device, names))}\n`)
    }
    const other = versions.find(({ state, entry }) => state !== 'current' && entry)
    if (other) {
      const word = shellWord(`${given}@${other.eventId}`) + accessAgain(flags)
      world.out(dim(`Put one back: ${world.called.farhand} restore ${word}\n`))
    }
  })

/** One vocabulary for people: that the file went is said of the event that deleted it, not of what it had been. */
function wordFor({ entry, state }: Version): string {
  if (!entry) return 'deleted'
  return state === 'deleted' ? 'replaced' : state
}

/** What is wrong with a path or a version someone asked for, told to a person; `words` ask for its history. */
export function versionTrouble(
  error: unknown,
  { url, path, link }: { url: string; path: string; link: Link | null },
  words: string,
  world: World,
): unknown {
  const { kind } = error as { kind?: string }
  const message = error instanceof Error ? error.message : String(error)
  if (kind === 'path') {
    const next = link
      ? `It was looked for in the run of ${link.folder}, as ${pathInWords(path)}.`
      : 'Paths are those of the run, from its top folder.'
    return new Trouble('usage', message, next, error)
  }
  if (kind === 'folder')
    return new Trouble(
      'usage',
      message,
      `\`${world.called.farhand} undo\` takes back what was done to many.`,
      error,
    )
  if (kind === 'version')
    return new Trouble('usage', message, `\`${world.called.farhand} history ${words}\` lists them.`, error)
  if (kind === 'expired') return new Trouble('failed', message, 'Another version may still be there.', error)
  return hubTrouble(error, url, world) ?? error
}

/** What a version is, without its bytes. */
export function entryInWords({ entry, size }: Pick<Version, 'entry' | 'size'>): string {
  if (!entry) return 'no file'
  const kind = { '100644': '', '100755': 'to run', '120000': 'a link' }[entry.mode]
  return [size === null ? '' : sizeInWords(size), kind].filter((part) => part !== '').join(', ')
}

export const timeInWords = (iso: string) => {
  const time = new Date(iso)
  const two = (n: number) => String(n).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

function versionAsJson(path: string, { eventId, at, by, entry, size, state }: Version): string {
  const what = entry ? { mode: entry.mode, hash: entry.hash, size } : { deleted: true }
  return JSON.stringify({ path, eventId, at, by, state, ...what })
}
