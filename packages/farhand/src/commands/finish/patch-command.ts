import { isUtf8 } from 'node:buffer'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runPatch, runPatchSeries } from '@farhand/device/pull-requests/run-patch'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import { spelledText } from '../../terminal/printing/shown-text.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { titleFor } from './pr-texts.ts'
import { uncommittedInWords } from './uncommitted-in-words.ts'
import { untilStopped } from './until-stopped.ts'
import { withFoundRun } from './with-found-run.ts'

type Flags = ReachFlags & { output?: unknown; commits?: unknown; uncommitted?: unknown }

export const patchCommand = (named: string | undefined, flags: Flags, context: CommandContext) =>
  untilStopped(flags, context, () =>
    withFoundRun(named, flags, context, async (run) => {
      const withUncommitted = flags.uncommitted !== false
      const message = `${titleFor(run.asked, run.at.run)}\n`
      const onUncommitted = (paths: readonly string[]) => {
        if (!flags.json) context.note(`The last patch has ${uncommittedInWords(paths)}.\n`)
      }
      const bytes = flags.commits
        ? await runPatchSeries(run, { withUncommitted, message, onUncommitted }, context)
        : await runPatch(run, withUncommitted, context)
      const file = flags.output === undefined ? null : path.resolve(context.cwd, String(flags.output))
      const { run: id } = run.at
      if (bytes.length === 0 && !flags.json) return context.note('Nothing has changed since the run began.\n')
      if (!file && !isUtf8(bytes)) throw notText()
      if (file) write(file, bytes)
      if (flags.json) {
        const about = { run: id, base: run.base, bytes: bytes.length, file }
        return context.out(`${JSON.stringify(file ? about : { ...about, patch: bytes.toString('utf8') })}\n`)
      }
      // Control characters in the files would act on a terminal; a program gets the exact bytes.
      const text = () => bytes.toString('utf8')
      if (!file) return context.out(context.isPiped ? text() : spelledText(text()))
      const how = flags.commits ? 'git am' : 'git apply'
      context.note(`${file} has what ${runInWords(id)} did. \`${how} ${file}\` puts it into another clone.\n`)
    }),
  )

const notText = () =>
  new Trouble(
    'usage',
    'The patch contains bytes that are not UTF-8 text.',
    'Write it to a file: --output fix.patch',
  )

/** Writes the whole file, or leaves the old one. */
function write(file: string, bytes: Buffer): void {
  const draft = `${file}.${process.pid}.part`
  try {
    writeFileSync(draft, bytes)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    const { code } = error as NodeJS.ErrnoException
    const why = {
      ENOENT: 'its folder does not exist',
      EACCES: 'permission denied',
      EISDIR: 'it is a folder',
    }[code ?? '']
    if (!why) throw error
    throw new Trouble(
      'usage',
      `${file} cannot be written: ${why}.`,
      'Name another file with --output.',
      error,
    )
  }
}
