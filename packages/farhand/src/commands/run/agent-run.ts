import { post } from '@farhand/client/post/post'
import { findRun, initRun, runStatus } from '@farhand/client/resources/resources'
import { untilHostEnds } from '@farhand/device/hosting/until-host-ends'
import { ofState, openDataFolder } from '@farhand/device/local-hub/data-folder'
import { reviveLocalHub } from '@farhand/device/local-hub/revive-local-hub'
import { currentPlacement } from '@farhand/device/local-runs/current-placement'
import { type KnownRun, LocalRuns } from '@farhand/device/local-runs/local-runs'
import { LastLook } from '@farhand/device/looking/last-look'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import { event } from '@farhand/protocol/events/event-names'
import type { RunMode } from '@farhand/protocol/schemas/api'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { nullIfStopped } from '../../command-line/errors/null-if-stopped.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { detachedModeInWords } from '../../terminal/agent-controls/detached-mode.ts'
import { chooseScreen } from '../../terminal/choose-screen.ts'
import { type ConverseEnd, converse } from '../../terminal/conversation/converse.ts'
import { pipedOrAsked, saidOrPiped } from '../../terminal/prompts/piped-text.ts'
import { offerFolder } from '../attach/offer-folder.ts'
import { rememberLastLook, reportSinceLastLook } from '../attach/reattach.ts'
import { reachRun } from '../find-run/reach-run.ts'
import { reportHeldBack } from '../first-look/report-held-back.ts'
import { startLink } from '../link/start-link.ts'
import { localHubParts } from '../local-hub/local-hub-parts.ts'
import { startRunner } from '../local-runs/start-runner.ts'
import { detach, endRun, howToGoOn, runFailed } from './leave-run.ts'
import { newRun } from './new-run.ts'
import type { AgentRunFlags } from './run-flags.ts'
import { howToAnswer, printLinkEnd, printRunStart, printStartTimes } from './run-output.ts'
import { runTerms } from './run-terms.ts'
import { promptBesideSandbox, sandboxAsked } from './sandbox-flags.ts'
import { linkAgain, newSandboxRun } from './sandbox-run.ts'

/** `farhand run`: has an agent work in a folder or a sandbox, and shows what it does; or joins an existing run. */
export const agentRun = (words: string | undefined, given: AgentRunFlags, context: CommandContext) =>
  withJsonErrors(given, context, async () => {
    const since = performance.now()
    const { prompt: said, flags } = promptBesideSandbox(words, given)
    const terms = runTerms(flags)
    const sandbox = sandboxAsked(flags)
    const isNew = flags.run === undefined
    // With piped output the user gives one message and types nothing more.
    const lines = flags.json || flags.detach || context.isPiped ? null : context.lines
    const canAsk = context.isPiped && !flags.json && !flags.detach
    // Joining a run reads no input: what is piped in then may belong to another program, or never end.
    const piped = said === undefined && isNew && !lines ? await pipedOrAsked(context, canAsk) : undefined
    const prompt = said === undefined ? piped : await saidOrPiped(said, context)
    if (prompt === null || context.stop.aborted) return
    if (prompt !== undefined && prompt.trim() === '')
      throw new Trouble('usage', 'The message is empty.', 'Write what the agent should do.')
    if (isNew && prompt === undefined && !lines)
      throw new Trouble(
        'usage',
        'What should the agent do?',
        `Give a message, or pipe it in: ${context.called.farhand} run --agent <id> "..."`,
      )
    const place = stateFolderPath(flags.state, context)
    openDataFolder(place, ofState)
    const runs = new LocalRuns(place)
    const here = { runs, stateFolderPath: place, since }
    const run = await nullIfStopped(context, async () =>
      isNew
        ? sandbox
          ? await newSandboxRun(prompt, sandbox, flags, here, context)
          : { ...(await newRun(prompt, flags, here, context)), link: null, begun: null }
        : await oldRun(flags, { says: prompt !== undefined, canAsk: lines !== null }, here, context),
    )
    if (!run) return
    const { known, at, hub, link, begun } = run
    const mode = 'mode' in run ? run.mode : 'interactive'
    try {
      const asked = terms(mode)
      for (const one of asked) await post(hub, at, one, { signal: context.stop })
      // Else the agent might begin with old files: its folder was not synced for a while.
      if (link && !isNew && prompt !== undefined)
        await unlessStopped(
          context.stop,
          link.inStep.catch(() => {}),
        )
      const messageId =
        prompt === undefined
          ? null
          : (
              await post(hub, at, event('user_message', { content: prompt, when: 'queue' }), {
                signal: context.stop,
              })
            ).lastEventId
      if (begun) begun.marks.prompted = performance.now() - since
      const isFar = known?.sandbox !== undefined
      const isHere = known !== null && !isFar && runs.holder(at.run) === null
      const runner = isHere ? startRunner(known, here, context) : null
      const hosted = 'hosted' in run ? run.hosted : null
      printRunStart(flags, { known, hosted, at, url: hub.url, isNew, isHere }, context)
      if (!isNew && !flags.detach) await reportSinceLastLook({ hub, at }, place, flags, context)
      if (flags.detach)
        return await detach(
          { hub, at },
          messageId,
          { runner, isFar, standing: detachedModeInWords(mode, asked, isNew) },
          flags,
          context,
        )
      const hint = lines ? () => null : () => howToAnswer(at.run, context)
      const workspace = (known ?? hosted)?.workspace || null
      const shown = { json: flags.json, hint, isFar, isTalk: lines !== null }
      const lookedAt = isNew ? null : new LastLook(place, at.run).eventId
      const how = { ...shown, stateFolderPath: place, workspace, lookedAt }
      const { screen, done } = rememberLastLook(await chooseScreen(how, context), { at }, place)
      if (prompt !== undefined) screen.saying(prompt)
      printLinkEnd(link, screen, flags, context)
      const telling = link && workspace ? new StateFolder(place).placeOf(workspace) : null
      const tellNoMore =
        telling === null
          ? () => {}
          : reportHeldBack(telling, { isNew }, (line) => screen.sayBetween(line), context)
      const runnerEnded = runner?.ended ?? null
      const talk = { hub, at, screen, messageId, lines, runnerEnded }
      const end = await whileRevived(new StateFolder(place), context, () => converse(talk, context)).finally(
        () => {
          tellNoMore()
          done()
        },
      )
      const isOver = isNew && !lines && ['turn-over', 'stopped', 'run-failed'].includes(end.is)
      if (flags.timings && begun && end.is !== 'stopped')
        await printStartTimes({ hub, at }, begun, flags, context)
      if (isOver) await endRun({ hub, at }, end, runner ?? link, isFar)
      else if (end.is === 'closed') await untilHostEnds(runs, at, context.stop)
      const told = isOver || end.is === 'closed' ? await tidied(known, place, flags, context) : ''
      printRunEnd(end, isOver, { at }, flags, context, told)
    } catch (error) {
      if (context.stop.aborted && !(error instanceof Trouble))
        context.note(`${runInWords(at.run)} stays as it is. ${howToGoOn(at.run, context)}\n`)
      else throw hubTrouble(error, hub.url, context, reopening(at.run, context)) ?? error
    }
  })

/** Removes the worktree of a closed run if nothing in it is needed; returns the message about that. */
async function tidied(
  known: KnownRun | null,
  stateFolderPath: string,
  flags: AgentRunFlags,
  context: CommandContext,
): Promise<string> {
  if (!known?.worktree) return ''
  const { tidyWorktree } = await import('@farhand/device/worktrees/tidy-worktree')
  const tidied = await tidyWorktree(known, stateFolderPath, context)
  if (!tidied) return ''
  const { tidiedInWords, tidyResultInWords } = await import('../worktree/worktree-in-words.ts')
  const done = tidiedInWords(tidied)
  const { root, branch } = known.worktree
  if (flags.json) context.out(`${JSON.stringify({ event: 'worktree', folder: root, branch, ...done })}\n`)
  return flags.json ? '' : tidyResultInWords(known.worktree, done, context)
}

/** Runs an action; meanwhile the user's own hub is started again whenever it dies. */
async function whileRevived<Result>(state: StateFolder, context: CommandContext, act: () => Promise<Result>) {
  const over = new AbortController()
  void reviveLocalHub(state, localHubParts({ ...context, terminal: false }), over.signal)
  try {
    return await act()
  } finally {
    over.abort()
  }
}

type Place = Pick<KnownRun, 'at'> & { hub: { url: string; token?: string } }

const reopening = (run: string, { called }: CommandContext) =>
  `Send a message to open it again: ${called.farhand} attach ${runInWords(run)} "..."`

type Here = { runs: LocalRuns; stateFolderPath: string }

type Coming = { says: boolean; canAsk: boolean }

async function oldRun(
  flags: AgentRunFlags,
  { says, canAsk }: Coming,
  { runs, stateFolderPath }: Here,
  context: CommandContext,
) {
  const { hub, at, known: remembered } = await reachRun(String(flags.run), flags, context)
  const mode = await open({ hub, at }, says, context)
  const known = remembered && (await currentPlacement(remembered, { hub, runs }, context.stop))
  const run = { hub, at, mode, link: null, begun: null, hosted: null }
  if (known?.sandbox !== undefined)
    return { ...run, known, link: await linkAgain(known, stateFolderPath, context) }
  const offered =
    canAsk && !known && !flags.agent ? await offerFolder({ hub, at }, stateFolderPath, context) : null
  if (offered) {
    runs.save(offered)
    // The folder has only files that the run has had: the run's versions count.
    const link = startLink(offered, { state: new StateFolder(stateFolderPath), once: ['--theirs'] }, context)
    return { ...run, known: offered, link }
  }
  const holder = runs.holder(at.run)
  if (holder !== null) return { ...run, known: null, hosted: known }
  if (!known && flags.agent === undefined) return { ...run, known: null }
  if (!known) await refuseFar({ hub, at }, context)
  const { hostHere } = await import('./new-run.ts')
  try {
    return { ...run, known: await hostHere({ hub, at, known }, flags, runs, context) }
  } catch (error) {
    // Its folder is taken, perhaps by a runner of this run that another process has just started.
    if (runs.holder(at.run) === null) throw error
    return { ...run, known: null, hosted: known }
  }
}

/** Refuses --agent for a run in a sandbox: a runner here would fence the one there. */
async function refuseFar({ hub, at }: Place, { stop }: CommandContext): Promise<void> {
  const { sandbox } = await findRun(hub, at.run, { signal: stop, patienceMs })
  if (sandbox === null || sandbox === 'none') return
  throw new Trouble(
    'usage',
    `The agent of ${runInWords(at.run)} works in a sandbox of ${hub.url}.`,
    'Leave --agent out.',
  )
}

/** The mode of an existing run, which is reopened if a message is sent to it. */
async function open({ hub, at }: Place, says: boolean, context: CommandContext): Promise<RunMode> {
  try {
    const { status, mode } = await runStatus(hub, at, { signal: context.stop, patienceMs })
    if (status === 'closed' && !says)
      throw new Trouble('runClosed', `${runInWords(at.run)} is closed.`, reopening(at.run, context))
    if (status === 'closed') await initRun(hub, at, { signal: context.stop })
    return mode
  } catch (error) {
    throw hubTrouble(error, hub.url, context) ?? error
  }
}

function printRunEnd(
  end: ConverseEnd,
  isOver: boolean,
  { at }: Pick<KnownRun, 'at'>,
  flags: AgentRunFlags,
  context: CommandContext,
  tidied: string,
): void {
  if (tidied !== '') context.note(tidied)
  if (flags.json) context.out(`${JSON.stringify({ event: 'ended', ...end, run: at.run, closed: isOver })}\n`)
  if (end.is === 'turn-over' && !['end_turn', 'cancelled'].includes(end.stopReason)) {
    // The screen has shown the reason already.
    const told = flags.json
      ? (end.why ?? `The turn ended: ${end.stopReason}.`)
      : `${runInWords(at.run)} ${isOver ? 'is closed' : 'stays open'}.`
    throw new Trouble('failed', told, isOver ? reopening(at.run, context) : howToGoOn(at.run, context))
  }
  if (end.is === 'run-failed') throw runFailed(at.run, isOver, context)
  if (flags.json) return
  if (end.is === 'closed') context.note(`${runInWords(at.run)} is closed.\n`)
  else if (!isOver) context.note(`${runInWords(at.run)} stays open. ${howToGoOn(at.run, context)}\n`)
}
