import { isUtf8 } from 'node:buffer'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { emptyTree } from '@farhand/device/git/run-git'
import type { RunToFinish } from '@farhand/device/pull-requests/run-to-finish'
import { commitTree, readUncommitted } from '@farhand/device/pull-requests/uncommitted'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../context/command-context.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { spelledText } from '../printing/shown-text.ts'
import { titleFor } from './pr-texts.ts'
import { uncommittedInWords } from './uncommitted-in-words.ts'
import { untilStopped } from './until-stopped.ts'
import { withRun } from './with-run.ts'

type Flags = ReachFlags & { output?: unknown; commits?: unknown; uncommitted?: unknown }

// The user's diff settings are for people; programs read this patch.
const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/']
const whole = ['--binary', '--full-index', '--find-renames', ...plain]

export const patchCommand = (named: string | undefined, flags: Flags, context: CommandContext) =>
  untilStopped(flags, context, () =>
    withRun(named, flags, context, async (run) => {
      const bytes = flags.commits ? await series(run, flags, context) : await patch(run, flags, context)
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

async function patch(run: RunToFinish, flags: Flags, context: CommandContext): Promise<Buffer> {
  const { repository, base } = run
  const { stop: signal } = context
  const { tree, tipTree } = await readUncommitted(run, context)
  const to = flags.uncommitted === false ? tipTree : tree
  return await repository.run(['diff-tree', '-r', '--patch', ...whole, base ?? emptyTree, to], { signal })
}

async function series(run: RunToFinish, flags: Flags, context: CommandContext): Promise<Buffer> {
  const { repository, base, at, asked } = run
  const { stop: signal } = context
  let { tip } = run
  const { tree, tipTree, paths } = await readUncommitted(run, context)
  if (flags.uncommitted !== false && tree !== tipTree) {
    const message = `${titleFor(asked, at.run)}\n`
    tip = await commitTree(run, { tree, parents: tip ? [tip] : [], message }, context)
    if (!flags.json) context.note(`The last patch has ${uncommittedInWords(paths)}.\n`)
  }
  if (tip === null || tip === base) return Buffer.alloc(0)
  const range = base === null ? [tip] : [`${base}..${tip}`]
  const merges = await repository.text(['rev-list', '--merges', '--max-count=1', ...range], { signal })
  if (merges !== '')
    throw new Trouble(
      'failed',
      'The agent has made a merge commit, which cannot be a patch.',
      'Without --commits it is all in one patch.',
    )
  const root = base === null ? ['--root'] : []
  return await repository.run(
    ['format-patch', '--stdout', '--binary', '--full-index', ...plain, ...root, ...range],
    {
      signal,
    },
  )
}

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
