import { realpathSync } from 'node:fs'
import { findRun, moveRun } from '@farhand/client/resources/resources'
import type { HandoffRun } from '@farhand/device/handoff/handoff-run'
import { localAgents, usableAgent } from '@farhand/device/installed-agents/local-agents'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble, hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { reachRun } from '../find-run/reach-run.ts'
import { firstLook } from '../first-look/first-look.ts'
import { folderToLink } from '../link/folder-to-link.ts'
import { handOver } from './hand-over.ts'
import { handoffReporter } from './handoff-reporter.ts'
import type { SettleFlags } from './settle-run.ts'

export type HandoffFlags = SettleFlags &
  Readonly<Partial<Record<'to' | 'folder' | 'sandbox' | 'secrets' | 'hub' | 'token' | 'state', unknown>>>

/** Moves the agent of a run here, or into a sandbox, with its conversation, files and commits. */
export const handoffCommand = (named: string | undefined, flags: HandoffFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const to = direction(flags)
    const handoff = await findHandoff(named, to, flags, context)
    const reporter = handoffReporter(flags, context)
    try {
      await (to === 'here' ? checkHere : checkCloud)(handoff, flags, context)
      await handOver(to, handoff, flags, reporter, context)
    } catch (error) {
      if (context.stop.aborted && !(error instanceof Trouble)) return context.note(leftOff(handoff, context))
      throw hubTrouble(error, handoff.hub.url, context) ?? error
    }
    const { at, workspace, kind } = handoff
    const attach = `\`${context.called.farhand} attach ${runInWords(at.run)}\` comes back to it.`
    const about = { run: at.run, to, workspace: workspace || null, sandbox: to === 'here' ? null : kind }
    reporter.done(
      about,
      to === 'here'
        ? `${runInWords(at.run)} works here now, in ${workspace}. ${attach}`
        : `${runInWords(at.run)} works in a sandbox of ${handoff.hub.url} now. ${attach}`,
    )
  })

function direction({ to }: HandoffFlags): 'here' | 'cloud' {
  if (to === 'here' || to === 'cloud') return to
  throw new Trouble('usage', 'Where should it work?', 'Use --to here or --to cloud.')
}

const leftOff = ({ at }: HandoffRun, { called }: CommandContext) =>
  `Stopped. \`${called.farhand} status ${runInWords(at.run)}\` says where it works; the same command again goes on.\n`

async function findHandoff(
  named: string | undefined,
  to: 'here' | 'cloud',
  flags: HandoffFlags,
  context: CommandContext,
): Promise<HandoffRun> {
  const place = stateFolderPath(flags.state, context)
  const runs = new KnownRuns(place)
  const state = new StateFolder(place)
  const { hub, at, known } = await reachRun(
    named ?? (await runOfFolder(state, runs, flags, context)),
    flags,
    context,
  )
  const run = await findRun(hub, at.run, { signal: context.stop, patienceMs }).catch(
    asHubTrouble(hub.url, context),
  )
  const isFar = run.sandbox !== null && run.sandbox !== 'none'
  const before = isFar ? run.sandbox! : (known?.cameFrom ?? 'auto')
  const kind = to === 'cloud' ? String(flags.sandbox ?? before) : before
  const workspace = await folderOf({ at, known }, to, flags, state, context)
  const agent = run.agent ?? known?.agent
  if (!agent) throw new Trouble('usage', `${runInWords(at.run)} names no agent.`, 'Begin a new run with one.')
  const isOurs = localAgents(place, context).some(
    ({ entry }) => entry.id === agent && entry.command === 'farhand',
  )
  return { hub: { ...hub, token: hub.token ?? '' }, at, known, agent, isOurs, workspace, kind, runs, state }
}

/**
 * The folder of the run on this machine; empty if the run moves to a sandbox and has no folder here (the current folder
 * may be unrelated).
 */
async function folderOf(
  { at, known }: Pick<HandoffRun, 'at' | 'known'>,
  to: 'here' | 'cloud',
  flags: HandoffFlags,
  state: StateFolder,
  context: CommandContext,
): Promise<string> {
  const named = flags.folder ?? (known?.workspace || undefined)
  const linked = named === undefined ? state.around(realpathSync(context.cwd)) : null
  if (linked?.at.run === at.run) return linked.folder
  if (named === undefined && to === 'cloud') return ''
  return await folderToLink(String(named ?? '.'), state.root, context)
}

async function runOfFolder(
  state: StateFolder,
  runs: KnownRuns,
  flags: HandoffFlags,
  context: CommandContext,
): Promise<string> {
  const folder = await folderToLink(String(flags.folder ?? '.'), state.root, context)
  const hosted = runs
    .all()
    .filter(({ at, workspace }) => workspace === folder && runs.closedAt(at.run) === null)
  const run = state.around(folder)?.at.run ?? hosted.at(-1)?.at.run
  if (run !== undefined) return run
  const list = `Name it: ${context.called.farhand} handoff <run> --to ${flags.to}. \`${context.called.farhand} ls\` lists them.`
  throw new Trouble('usage', `No run works in ${folder}.`, list)
}

/** Checks everything that could keep the run from working here, before anything is changed. */
async function checkHere(handoff: HandoffRun, flags: HandoffFlags, context: CommandContext): Promise<void> {
  const { agent, state, workspace, at, hub, runs } = handoff
  usableAgent(agent, state.root, context)
  const { folderHolder, folderTaken, holderAround } = await import(
    '@farhand/device/linked-folders/lock-folder'
  )
  const around = holderAround(workspace)
  const holder = folderHolder(state, workspace)
  const isOurs = holder === null || holder === runs.holder(at.run) || state.find(workspace)?.at.run === at.run
  if (!isOurs) throw folderTaken(workspace, holder)
  if (around) throw folderTaken(around.folder, around.pid)
  if (runs.holder(at.run) === null) await firstLook(workspace, { state, hub: hub.url, flags }, context)
}

/** Checks everything that could keep the run from getting a sandbox, before anything is changed. */
async function checkCloud(handoff: HandoffRun, flags: HandoffFlags, context: CommandContext): Promise<void> {
  const { hub, at, kind, state, workspace, known } = handoff
  await moveRun(hub, at, { sandbox: kind, after: 0, check: true }, { signal: context.stop, patienceMs })
  // The hub already has the files; the commits may be sent for the first time.
  if (workspace !== '' && known?.sandbox === undefined)
    await firstLook(workspace, { state, hub: hub.url, flags, withCommits: true }, context)
}
