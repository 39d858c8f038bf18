import { mkdirSync, realpathSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Skip } from '@farhand/sync/engine/disk-folder'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { userRules } from '../first-look/user-rules.ts'
import { asFolderTaken, folderHolder } from '../linked-folders/lock-folder.ts'
import { removeSyncFiles } from '../linked-folders/remove-sync-files.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { pathsWanted } from './paths-wanted.ts'
import { bringFiles, keepVersions, scanFolder, whyNotWritten } from './pull-files.ts'
import { PullMemory } from './pull-memory.ts'
import { type PullPlan, pullPlan } from './pull-plan.ts'

type Pull = {
  hub: Hub
  at: RunAddress
  folder: string
  /** The link of the folder to this run; null if it has none. */
  link: Link | null
  /** The paths that the user named from `cwd`; all if none. */
  paths: readonly string[]
  /** Which files of the run are left out, as if it did not have them, and stay as they are here; none if missing. */
  isLeftOut?: (path: WorkspacePath) => boolean
  cwd: string
  state: StateFolder
  /** Whether the run's version counts where both sides changed a file. */
  insists: boolean
  /** Whether nothing is written. */
  isDry: boolean
}

type PullParts = {
  env: Readonly<Record<string, string | undefined>>
  home: string
  stop: AbortSignal
  whileReading: <Result>(act: () => Promise<Result>) => Promise<Result>
  whileScanning: <Result>(act: () => Promise<Result>) => Promise<Result>
  /** Called before anything is written. `skipped`: how many files of the run rules of the folder leave out. */
  onPlan: (plan: PullPlan, skipped: number) => void
}

export type NotPulled = { path: string; why: string }

/** `in-step`: a process keeps this folder in sync with the run already. */
export type Pulled =
  | { is: 'in-step'; folder: string }
  | { is: 'pulled'; plan: PullPlan; failed: NotPulled[]; leftOut: WorkspacePath[] }

/** Brings the files of a run as they are now into a folder that is not kept in sync with it, once. */
export async function pullRun(pull: Pull, parts: PullParts): Promise<Pulled> {
  const { link, state, folder, at } = pull
  if (link && folderHolder(state, link.folder) !== null) return { is: 'in-step', folder: link.folder }
  const [{ versionsOf }, { openDiskFolder }] = await Promise.all([
    import('@farhand/sync/history/history'),
    import('@farhand/sync/disk/open-disk-folder'),
  ])
  const memory = new PullMemory(state.root, folder)
  const before = memory.read()
  const pulled = new Map(before?.at.run === at.run ? before.files : [])
  mkdirSync(memory.place, { recursive: true, mode: 0o700 })
  const versions = await parts.whileReading(() =>
    versionsOf(pull.hub, at, { signal: parts.stop, patienceMs }),
  )
  const asked = pathsWanted(pull.paths, { folder, cwd: realpathSync(pull.cwd) }, versions.paths())
  const isLeftOut = pull.isLeftOut ?? (() => false)
  const wanted = (path: WorkspacePath) => asked(path) && !isLeftOut(path)
  const leftOut = [...versions.tree.files()]
    .map(({ path }) => path)
    .filter((path) => asked(path) && isLeftOut(path))
  const there = new Map(
    [...versions.tree.files()].filter(({ path }) => wanted(path)).map(({ path, entry }) => [path, entry]),
  )
  const disk = await openDiskFolder({
    root: folder,
    state: memory.place,
    maxFileBytes: Number.MAX_SAFE_INTEGER,
    ...(await userRules(folder, state, parts)),
    // What it brings may be rules: a link of this folder must not send what they include.
    ...(state.find(folder) ? { decisions: state.placeOf(folder) } : {}),
  }).catch(asFolderTaken(folder))
  try {
    const { here, skipped } = await parts.whileScanning(() => scanFolder(disk, parts.stop))
    const known = new Map([...pulled].filter(([path]) => wanted(path)))
    const mayBe = withoutSkipped(there, skipped)
    const plan = pullPlan(mayBe, known, (path) => here.get(path) ?? null, pull.insists)
    parts.onPlan(plan, there.size - mayBe.size)
    const failed: NotPulled[] = []
    if (pull.isDry) return { is: 'pulled', plan, failed, leftOut }
    const around = { hub: pull.hub, at, disk, signal: parts.stop }
    // From now on, even after a failure, the state of the disk is noted: it must not count as changed here the next time.
    const files = new Map(pulled)
    for (const [path, entry] of mayBe) if (here.get(path)?.hash === entry.hash) files.set(path, entry)
    const note = () => memory.save({ url: pull.hub.url, at, files: [...files] })
    await keepVersions(around, plan.overwritten)
    const sizeOf = (path: WorkspacePath) => versions.of(path)[0]?.size ?? 0
    let portions = 0
    try {
      for await (const outcomes of bringFiles(around, plan.brought, sizeOf)) {
        for (const { brought, result } of outcomes) {
          if (result.is === 'done')
            brought.to ? files.set(brought.path, brought.to) : files.delete(brought.path)
          else failed.push({ path: brought.path, why: whyNotWritten(result) })
        }
        note()
        disk.settled(++portions)
      }
    } finally {
      note()
    }
    return { is: 'pulled', plan, failed, leftOut }
  } finally {
    await disk.close()
    if (!link) removeSyncFiles(folder)
  }
}

/** What rules of this folder leave out, or what lies in the way, is nothing that a pull decides about. */
const withoutSkipped = (there: Map<WorkspacePath, FileEntry>, skipped: ReadonlyMap<string, Skip>) =>
  new Map([...there].filter(([path]) => !skipped.has(path)))
