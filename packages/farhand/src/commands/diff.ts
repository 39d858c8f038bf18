import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { contentHere, contentsOf } from '@farhand/device/diff/contents-of'
import { differing, type FileDiff, fileDiff } from '@farhand/device/diff/file-diff'
import { sizesIn } from '@farhand/device/diff/sizes-in'
import { userRules } from '@farhand/device/first-look/user-rules'
import { pathsWanted } from '@farhand/device/pull/paths-wanted'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { FileVersions } from '@farhand/protocol/files/file-versions'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { diffInWords, type Sides, statInWords, sumInWords } from '../diff/diff-in-words.ts'
import { hubTrouble } from '../errors/hub-trouble.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { eventNamed, noSuchEvent } from '../options/event-named.ts'
import { whileWaiting } from '../printing/while-waiting.ts'
import { type RunAndPaths, runAndPaths } from '../pull/run-and-paths.ts'

type Flags = ReachFlags & {
  stat?: unknown
  nameOnly?: unknown
  exitCode?: unknown
  from?: unknown
  to?: unknown
}

type Tree = Map<string, FileEntry>

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
  { hub, at, link, paths }: RunAndPaths,
  cwd: string,
  flags: Flags,
  context: CommandContext,
): Promise<FileDiff[]> {
  const folder = link?.folder ?? cwd
  const { versions } = await read({ hub, at }, [], context)
  const [{ survey }, { entryAt }] = await Promise.all([
    import('@farhand/sync/disk/scan/survey'),
    import('@farhand/sync/disk/index/file-entry'),
  ])
  const rules = await userRules(folder, new StateFolder(stateFolderPath(flags.state, context)), context)
  const found = survey(folder, { maxFileBytes: Number.MAX_SAFE_INTEGER, ...rules })
  const there = treeOf(versions)
  const names = found.files.map(({ path }) => path)
  const wanted = pathsWanted(paths, { folder, cwd }, [...names, ...there.keys()])
  const here: Tree = new Map()
  for (const path of names.filter(wanted)) {
    const entry = entryAt(join(folder, path))
    if (entry) here.set(path, entry)
  }
  for (const path of there.keys()) if (!wanted(path)) there.delete(path)
  const all = differing(here, there)
  const sizeOf = sizesIn(versions)
  const theirs = await contentsOf(
    { hub, at, signal: context.stop },
    all.map(({ after }) => after),
    sizeOf,
  )
  return all.map((one) => fileDiff(one, contentHere(folder, one.path, one.before), theirs(one.after)))
}

async function between(
  { hub, at, link, paths }: RunAndPaths,
  cwd: string,
  flags: Flags,
  context: CommandContext,
): Promise<FileDiff[]> {
  const from = String(flags.from) === '0' ? 0 : eventNamed('--from', flags.from)
  const to = flags.to === undefined ? null : eventNamed('--to', flags.to)
  const { versions, trees } = await read({ hub, at }, [from, ...(to === null ? [] : [to])], context)
  for (const event of [from, to ?? from])
    if (event > versions.cursor)
      throw noSuchEvent(
        event,
        versions.cursor,
        `\`${context.called.farhand} rewind ${runInWords(at.run)}\` lists some.`,
      )
  const [before, after] = [trees.get(from)!, to === null ? treeOf(versions) : trees.get(to)!]
  const wanted = pathsWanted(paths, { folder: link?.folder ?? cwd, cwd }, [...before.keys(), ...after.keys()])
  const all = differing(before, after).filter(({ path }) => wanted(path))
  const entries = all.flatMap((one) => [one.before, one.after])
  const contents = await contentsOf({ hub, at, signal: context.stop }, entries, sizesIn(versions))
  return all.map((one) => fileDiff(one, contents(one.before), contents(one.after)))
}

/** The files of a run, and what they were after some events. */
async function read(
  { hub, at }: Pick<RunAndPaths, 'hub' | 'at'>,
  events: readonly number[],
  context: CommandContext,
) {
  const { readLog } = await import('@farhand/client/follow/read-log')
  const versions = new FileVersions()
  const trees = new Map<number, Tree>(events.includes(0) ? [[0, new Map()]] : [])
  await whileWaiting('reading the log of the run', context, async () => {
    const take = (event: SeenEvent) => {
      versions.take(event)
      if (events.includes(event.id)) trees.set(event.id, treeOf(versions))
    }
    for await (const event of readLog(hub, at, { signal: context.stop, patienceMs })) take(event)
  })
  return { versions, trees }
}

const treeOf = ({ tree }: FileVersions): Tree =>
  new Map([...tree.files()].map(({ path, entry }) => [path, entry]))

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
