import { realpathSync } from 'node:fs'
import { diffBetweenEvents, diffWithFolder } from '@farhand/device/diff/diff-run'
import type { FileDiff } from '@farhand/device/diff/file-diff'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import { eventNamed, noSuchEvent } from '../command-line/options/event-named.ts'
import type { CommandContext } from '../context/command-context.ts'
import { whileWaiting } from '../terminal/printing/while-waiting.ts'
import { diffInWords, type Sides, statInWords, sumInWords } from './diff/diff-in-words.ts'
import type { ReachFlags } from './find-run/reach-run.ts'
import { type RunAndPaths, runAndPaths } from './pull/run-and-paths.ts'

type Flags = ReachFlags & {
  stat?: unknown
  nameOnly?: unknown
  exitCode?: unknown
  from?: unknown
  to?: unknown
}

/** Shows how the folder one stands in and a run differ, or how the run itself has changed between two events. */
export const diffCommand = (words: readonly string[], flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    if (flags.to !== undefined && flags.from === undefined)
      throw new Trouble(
        'usage',
        '--to goes with --from.',
        'Give both, or --from alone: then it is up to now.',
      )
    const cwd = realpathSync(context.cwd)
    const meant = await runAndPaths(words, cwd, flags, context)
    try {
      const diffs = await (flags.from === undefined
        ? fromHere(meant, cwd, flags, context)
        : between(meant, cwd, flags, context))
      show(diffs, meant, flags, context)
    } catch (error) {
      throw hubTrouble(error, meant.hub.url, context) ?? error
    }
  })

/** Between the folder, which is the linked one around this place if there is one, and what the run has now. */
async function fromHere(
  meant: RunAndPaths,
  cwd: string,
  flags: Flags,
  context: CommandContext,
): Promise<FileDiff[]> {
  const state = new StateFolder(stateFolderPath(flags.state, context))
  const { env, home } = context
  const diffs = await diffWithFolder({ ...meant, cwd }, state, { ...reading(context), env, home })
  if (diffs) return diffs
  const { run } = meant.at
  const link = state.links().find(({ at }) => at.run === run)
  const folder = link?.folder ?? new KnownRuns(state.root).find(run)?.workspace
  const pull = `\`${context.called.farhand} pull ${runInWords(run)}\` in an empty folder writes them there.`
  throw new Trouble(
    'usage',
    `${cwd} and ${runInWords(run)} have no file in common.`,
    folder ? `The files of the run are in ${folder}: compare them there.` : pull,
  )
}

async function between(
  meant: RunAndPaths,
  cwd: string,
  flags: Flags,
  context: CommandContext,
): Promise<FileDiff[]> {
  const from = String(flags.from) === '0' ? 0 : eventNamed('--from', flags.from)
  const to = flags.to === undefined ? null : eventNamed('--to', flags.to)
  const found = await diffBetweenEvents({ ...meant, cwd }, { from, to }, reading(context))
  if ('diffs' in found) return found.diffs
  const next = `\`${context.called.farhand} rewind ${runInWords(meant.at.run)}\` lists some.`
  throw noSuchEvent(found.missing, found.newest, next)
}

const reading = (context: CommandContext) => ({
  stop: context.stop,
  whileReading: <Result>(act: () => Promise<Result>) =>
    whileWaiting('reading the log of the run', context, act),
})

function show(diffs: readonly FileDiff[], { at }: RunAndPaths, flags: Flags, context: CommandContext): void {
  const sides: Sides =
    flags.from === undefined
      ? { before: 'here', after: 'run' }
      : { before: `@${flags.from}`, after: flags.to === undefined ? 'now' : `@${flags.to}` }
  if (flags.json) context.out(diffs.map((diff) => `${JSON.stringify(asJson(diff))}\n`).join(''))
  else if (diffs.length === 0)
    context.out(`No difference${flags.from === undefined ? ` to ${runInWords(at.run)}` : ''}.\n`)
  else if (flags.nameOnly) context.out(diffs.map(({ path }) => `${pathInWords(path)}\n`).join(''))
  else if (flags.stat) context.out(`${statInWords(diffs, context)} ${sumInWords(diffs)}\n`)
  else for (const diff of diffs) context.out(diffInWords(diff, sides, context))
  if (!flags.exitCode || diffs.length === 0) return
  const next =
    flags.from === undefined
      ? `\`${context.called.farhand} pull ${runInWords(at.run)}\` brings what the run has.`
      : ''
  throw new Trouble('failed', `${sumInWords(diffs)}.`, next)
}

function asJson({ content, ...rest }: FileDiff) {
  if (content.is !== 'text') return { ...rest, content: content.is }
  return { ...rest, content: 'text', added: content.added, removed: content.removed, hunks: content.hunks }
}
