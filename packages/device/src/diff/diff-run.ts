import { join } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { FileVersions } from '@farhand/protocol/files/file-versions'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { userRules } from '../first-look/user-rules.ts'
import { pathsWanted } from '../pull/paths-wanted.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { contentHere, contentsOf, fileDiffs } from './contents-of.ts'
import { differing, type FileDiff, fileDiff } from './file-diff.ts'
import { sizesIn } from './sizes-in.ts'

/** What is compared: the files of a run, as far as the user named their paths from `cwd`. */
type Compared = {
  hub: Hub
  at: RunAddress
  /** The link around `cwd` to this run; null if there is none. */
  link: Link | null
  paths: readonly string[]
  cwd: string
}

type Parts = {
  stop: AbortSignal
  whileReading: <Result>(act: () => Promise<Result>) => Promise<Result>
}

type Tree = Map<string, FileEntry>

/**
 * Between the folder, which is the linked one around this place if there is one, and what the run has now. Null if they have
 * files, but none in common: then the user stands in another folder than they think.
 */
export async function diffWithFolder(
  { hub, at, link, paths, cwd }: Compared,
  state: StateFolder,
  parts: Parts & { env: Readonly<Record<string, string | undefined>>; home: string },
): Promise<FileDiff[] | null> {
  const folder = link?.folder ?? cwd
  const { versions } = await read({ hub, at }, [], parts)
  const [{ survey }, { entryAt }] = await Promise.all([
    import('@farhand/sync/disk/scan/survey'),
    import('@farhand/sync/disk/index/file-entry'),
  ])
  const rules = await userRules(folder, state, parts)
  const found = survey(folder, { maxFileBytes: Number.MAX_SAFE_INTEGER, ...rules })
  const there = treeOf(versions)
  const names = found.files.map(({ path }) => path)
  if (!link && names.length > 0 && there.size > 0 && !names.some((name) => there.has(name))) return null
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
    { hub, at, signal: parts.stop },
    all.map(({ after }) => after),
    sizeOf,
  )
  return all.map((one) => fileDiff(one, contentHere(folder, one.path, one.before), theirs(one.after)))
}

/** Between two events of the run; `to` null is now. If the log has no such event, that event and the newest one. */
export async function diffBetweenEvents(
  { hub, at, link, paths, cwd }: Compared,
  { from, to }: { from: number; to: number | null },
  parts: Parts,
): Promise<{ diffs: FileDiff[] } | { missing: number; newest: number }> {
  const { versions, trees } = await read({ hub, at }, [from, ...(to === null ? [] : [to])], parts)
  for (const event of [from, to ?? from])
    if (event > versions.cursor) return { missing: event, newest: versions.cursor }
  const [before, after] = [trees.get(from)!, to === null ? treeOf(versions) : trees.get(to)!]
  const wanted = pathsWanted(paths, { folder: link?.folder ?? cwd, cwd }, [...before.keys(), ...after.keys()])
  const all = differing(before, after).filter(({ path }) => wanted(path))
  return { diffs: await fileDiffs({ hub, at, signal: parts.stop }, all, sizesIn(versions)) }
}

/** The files of a run, and what they were after some events. */
async function read(
  { hub, at }: Pick<Compared, 'hub' | 'at'>,
  events: readonly number[],
  { stop, whileReading }: Parts,
) {
  const { readLog } = await import('@farhand/client/follow/read-log')
  const versions = new FileVersions()
  const trees = new Map<number, Tree>(events.includes(0) ? [[0, new Map()]] : [])
  await whileReading(async () => {
    const take = (event: SeenEvent) => {
      versions.take(event)
      if (events.includes(event.id)) trees.set(event.id, treeOf(versions))
    }
    for await (const event of readLog(hub, at, { signal: stop, patienceMs })) take(event)
  })
  return { versions, trees }
}

const treeOf = ({ tree }: FileVersions): Tree =>
  new Map([...tree.files()].map(({ path, entry }) => [path, entry]))
