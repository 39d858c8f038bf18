import { mkdirSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { conflictsOf, type PullPlan } from '@farhand/device/pull/pull-plan'
import { pullRun } from '@farhand/device/pull/pull-run'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { isWithin, StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { whileWaiting } from '../terminal/printing/while-waiting.ts'
import { scanOptions } from './closed-run/scan-options.ts'
import { flagsToRepeat } from './find-run/flags-to-repeat.ts'
import type { ReachFlags } from './find-run/reach-run.ts'
import { folderToLink } from './link/folder-to-link.ts'
import { conflictTrouble, planInWords, pulledInWords } from './pull/pull-in-words.ts'
import { type RunAndPaths, runAndPaths } from './pull/run-and-paths.ts'

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
  { hub, at, link, paths }: RunAndPaths,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const isDry = Boolean(flags.dryRun)
  const state = new StateFolder(stateFolderPath(flags.state, context))
  const insists = flags.force === true
  const pulled = await pullRun(
    { hub, at, folder, link, paths, cwd: context.cwd, state, insists, isDry },
    {
      ...scanOptions(context),
      env: context.env,
      home: context.home,
      whileReading: (act) => whileWaiting('reading the log of the run', context, act),
      onPlan(plan, skipped) {
        if (!flags.json) context.out(planInWords(plan, { run: at.run, folder, skipped }, context))
      },
    },
  ).catch(asHubTrouble(hub.url, context))
  if (pulled.is === 'in-step') throw inStep(pulled.folder, at.run, context)
  const { plan, failed } = pulled
  if (flags.json) context.out(asJson(plan, { run: at.run, folder, failed, dryRun: flags.dryRun === true }))
  else context.out(pulledInWords(plan, failed, flags.dryRun === true))
  const trouble = conflictTrouble(
    conflictsOf(plan),
    failed,
    `${context.called.farhand} pull ${runInWords(at.run)}${flagsToRepeat(flags)}`,
    `${context.called.farhand} diff ${runInWords(at.run)}`,
  )
  if (trouble && !isDry) throw trouble
}

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
