import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { accessAgain } from './access-again.ts'
import { patienceMs } from './find-run.ts'
import { entryInWords, timeInWords, versionTrouble } from './history-command.ts'
import { linkedRun, pathInRun, type RunFlags } from './linked-run.ts'
import { shellWord } from './note-in-words.ts'
import { pathInWords } from './path-in-words.ts'
import { Trouble } from './trouble.ts'
import { withJsonErrors } from './with-json-errors.ts'
import type { World } from './world.ts'

/** Puts one version of a path back, for everybody who follows the run. */
export const restoreCommand = (given: string, flags: RunFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const { name, eventId } = versionNamed(given, flags, world)
    const { hub, at, link } = await linkedRun(flags, world, name)
    const path = pathInRun(name, link, world)
    const { restore } = await import('@farhand/sync/restore')
    const asking = { signal: world.stop, patienceMs, inWords: pathInWords }
    const done = await restore(hub, at, path, eventId, asking).catch((error: unknown) => {
      throw versionTrouble(error, { url: hub.url, path, link }, shellWord(name) + accessAgain(flags), world)
    })
    if (flags.json) {
      const { version, replaced, madeRoom } = done
      const told = {
        path,
        restored: eventId,
        eventId: done.eventId,
        replaced: replaced?.eventId ?? null,
        madeRoom,
      }
      return world.out(`${JSON.stringify({ ...told, entry: version.entry })}\n`)
    }
    const shown = pathInWords(path)
    if (done.eventId === null) return world.out(`${shown} is that already; nothing had to be done.\n`)
    const entry = entryInWords(done.version)
    const what = done.version.entry
      ? `${shown} is again what it was on ${timeInWords(done.version.at)}${entry && ` (${entry})`}.`
      : `${shown} is deleted again.`
    world.out(`${what}\n`)
    for (const other of done.madeRoom) world.out(`${pathInWords(other)} was in its way and is deleted.\n`)
    if (!done.replaced?.entry) return
    const back = `${world.called.farhand} restore ${shellWord(`${name}@${done.replaced.eventId}`)}${accessAgain(flags)}`
    world.out(`What it replaced stays too: ${back}\n`)
  })

/** `src/main.ts@42`: the last @ is the one that counts, because names may have some. */
function versionNamed(
  given: string,
  flags: RunFlags,
  { called, cwd }: World,
): { name: string; eventId: number } {
  const said = /^(.+)@(\d+)$/s.exec(given)
  if (said) return { name: said[1]!, eventId: Number(said[2]) }
  // `x@y` was meant as a version, unless it is a file: `icon@2x.png` is one, wherever it lies.
  const [, name, version] = /^(.+)@([^@./]*)$/s.exec(given) ?? []
  const isVersion = name !== undefined && !existsSync(resolve(cwd, given))
  const history = `${called.farhand} history ${shellWord(isVersion ? name : given)}${accessAgain(flags)}`
  const what =
    isVersion && version !== ''
      ? `${version} is no version of ${name}.`
      : `Which version of ${isVersion ? name : given}?`
  throw new Trouble('usage', `${what} A version is written as <path>@<event>.`, `\`${history}\` lists them.`)
}
