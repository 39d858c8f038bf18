import { mkdirSync, realpathSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { userRules } from '@farhand/device/first-look/user-rules'
import { folderTaken } from '@farhand/device/linked-folders/lock-folder'
import { removeSyncFiles } from '@farhand/device/linked-folders/remove-sync-files'
import { pathsWanted } from '@farhand/device/pull/paths-wanted'
import { bringFiles, keepVersions, scanFolder, whyNotWritten } from '@farhand/device/pull/pull-files'
import { PullMemory } from '@farhand/device/pull/pull-memory'
import { conflictsOf, type PullPlan, pullPlan } from '@farhand/device/pull/pull-plan'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Skip } from '@farhand/sync/engine/disk-folder'
import { isWithin, StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { hubTrouble } from '../errors/hub-trouble.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import { flagsToRepeat } from '../find-run/flags-to-repeat.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { folderToLink } from '../linked-folders/folder-to-link.ts'
import { whileWaiting } from '../printing/while-waiting.ts'
import { conflictTrouble, planInWords, pulledInWords } from '../pull/pull-in-words.ts'
import { type RunAndPaths, runAndPaths } from '../pull/run-and-paths.ts'

type Flags = ReachFlags & { into?: unknown; force?: unknown; dryRun?: unknown }

/** Brings the files of a run as they are now into a folder that is not kept in sync with it, once. */
export const pullCommand = (words: readonly string[], flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const place = stateFolderPath(flags.state, context)
    const asked = path.resolve(context.cwd, String(flags.into ?? '.'))
    // The user has named this folder: it is made without asking.
    const made = flags.into === undefined ? undefined : mkdirSync(asked, { recursive: true })
    try {
      const folder = await folderToLink(asked, place, context)
      await pullInto(folder, await runAndPaths(words, folder, flags, context), flags, context)
    } finally {
      if (flags.dryRun && made !== undefined) removeMade(asked, made)
    }
  })

/** Removes the folders made for this command, the innermost first, as long as they are empty. */
function removeMade(asked: string, first: string): void {
  try {
    for (let folder = asked; isWithin(first, folder); folder = path.dirname(folder)) rmdirSync(folder)
  } catch {
    // It is not empty any more.
  }
}

async function pullInto(
  folder: string,
  meant: RunAndPaths,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  try {
    const memory = new PullMemory(stateFolderPath(flags.state, context), folder)
    await pull(folder, meant, memory, flags, context)
  } catch (error) {
    const { name, pid } = error as { name?: string; pid?: number }
    if (name === 'FolderInUse' && pid !== undefined) throw folderTaken(folder, pid)
    throw hubTrouble(error, meant.hub.url, context) ?? error
  }
}

async function pull(
  folder: string,
  { hub, at, link, paths }: RunAndPaths,
  memory: PullMemory,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const state = new StateFolder(stateFolderPath(flags.state, context))
  if (link) {
    const { folderHolder } = await import('@farhand/device/linked-folders/lock-folder')
    const pid = folderHolder(state, link.folder)
    if (pid !== null) throw inStep(link.folder, at.run, context)
  }
  const [{ versionsOf }, { openDiskFolder }] = await Promise.all([
    import('@farhand/sync/history/history'),
    import('@farhand/sync/disk/open-disk-folder'),
  ])
  const signal = context.stop
  const before = memory.read()
  const pulled = new Map(before?.at.run === at.run ? before.files : [])
  mkdirSync(memory.place, { recursive: true, mode: 0o700 })
  const versions = await whileWaiting('reading the log of the run', context, () =>
    versionsOf(hub, at, { signal, patienceMs }),
  )
  const wanted = pathsWanted(paths, { folder, cwd: realpathSync(context.cwd) }, versions.paths())
  const there = new Map(
    [...versions.tree.files()].filter(({ path }) => wanted(path)).map(({ path, entry }) => [path, entry]),
  )
  const disk = await openDiskFolder({
    root: folder,
    state: memory.place,
    maxFileBytes: Number.MAX_SAFE_INTEGER,
    ...(await userRules(folder, state, context)),
    // What it brings may be rules: a link of this folder must not send what they include.
    ...(state.find(folder) ? { decisions: state.placeOf(folder) } : {}),
  })
  try {
    const { here, skipped } = await whileWaiting('looking at the folder', context, () =>
      scanFolder(disk, signal),
    )
    const known = new Map([...pulled].filter(([path]) => wanted(path)))
    const mayBe = withoutSkipped(there, skipped)
    const plan = pullPlan(mayBe, known, (path) => here.get(path) ?? null, flags.force === true)
    if (!flags.json)
      context.out(planInWords(plan, { run: at.run, folder, skipped: there.size - mayBe.size }, context))
    const failed: { path: string; why: string }[] = []
    const again = `${context.called.farhand} pull ${runInWords(at.run)}${flagsToRepeat(flags)}`
    if (!flags.dryRun) {
      // From now on whatever happens, what is on the disk is noted: it must not count as changed here the next time.
      const files = new Map(pulled)
      for (const [path, entry] of mayBe) if (here.get(path)?.hash === entry.hash) files.set(path, entry)
      const note = () => memory.save({ url: hub.url, at, files: [...files] })
      await keepVersions({ hub, at, disk, signal }, plan.overwritten)
      const sizeOf = (path: WorkspacePath) => versions.of(path)[0]?.size ?? 0
      let portions = 0
      try {
        for await (const outcomes of bringFiles({ hub, at, disk, signal }, plan.brought, sizeOf)) {
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
    }
    if (flags.json) context.out(asJson(plan, { run: at.run, folder, failed, dryRun: flags.dryRun === true }))
    else context.out(pulledInWords(plan, failed, flags.dryRun === true))
    const trouble = conflictTrouble(
      conflictsOf(plan),
      failed,
      again,
      `${context.called.farhand} diff ${runInWords(at.run)}`,
    )
    if (trouble && !flags.dryRun) throw trouble
  } finally {
    await disk.close()
    if (!link) removeSyncFiles(folder)
  }
}

/** What rules of this folder leave out, or what lies in the way, is nothing that a pull decides about. */
const withoutSkipped = (there: Map<WorkspacePath, FileEntry>, skipped: ReadonlyMap<string, Skip>) =>
  new Map([...there].filter(([path]) => !skipped.has(path)))

const inStep = (folder: string, run: string, { called }: CommandContext) =>
  new Trouble(
    'folderTaken',
    `${folder} is kept in sync with ${runInWords(run)}: it has everything already.`,
    `\`${called.farhand} pull ${runInWords(run)} --into <another folder>\` brings the files elsewhere.`,
  )

function asJson(plan: PullPlan, more: Record<string, unknown>): string {
  const { brought, left, same } = plan
  return `${JSON.stringify({ ...more, brought, left, same })}\n`
}
