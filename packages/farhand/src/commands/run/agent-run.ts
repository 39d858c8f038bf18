import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { ofState, openDataFolder } from '@farhand/device/local-hub/data-folder'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { nullIfStopped } from '../../command-line/errors/null-if-stopped.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { detachedModeInWords } from '../../terminal/agent-controls/detached-mode.ts'
import { showDelegatedCard } from '../attach/delegated-card.ts'
import { reportUnseen } from '../attach/reattach.ts'
import { startRunner } from '../runner/start-runner.ts'
import { finishRun } from './finish-run.ts'
import { readFirstMessage, sendFirstMessage } from './first-message.ts'
import { joinRun, type OpenedRun } from './join-run.ts'
import { detach, howToGoOn, reopening } from './leave-run.ts'
import { newRun } from './new-run.ts'
import type { AgentRunFlags } from './run-flags.ts'
import { printRunStart, printStartTimes } from './run-output.ts'
import { runTerms } from './run-terms.ts'
import { promptBesideSandbox, sandboxAsked } from './sandbox-flags.ts'
import { newSandboxRun } from './sandbox-run.ts'
import { talkInRun } from './talk-in-run.ts'

/** `farhand run`: has an agent work in a folder or a sandbox, and shows what it does; or joins an existing run. */
export const agentRun = (words: string | undefined, given: AgentRunFlags, context: CommandContext) =>
  withJsonErrors(given, context, async () => {
    const since = performance.now()
    const { prompt: said, flags } = promptBesideSandbox(words, given)
    const terms = runTerms(flags)
    const sandbox = sandboxAsked(flags)
    const isNew = flags.run === undefined
    const message = await readFirstMessage(said, flags, context)
    if (!message) return
    const { prompt, lines } = message
    const place = stateFolderPath(flags.state, context)
    openDataFolder(place, ofState)
    const runs = new KnownRuns(place)
    const here = { runs, stateFolderPath: place, since }
    const opened = await nullIfStopped<NewlyOpened | null>(context, () =>
      isNew
        ? sandbox
          ? newSandboxRun(prompt, sandbox, flags, here, context)
          : newRun(prompt, flags, here, context)
        : joinRun(flags, { says: prompt !== undefined, canAsk: lines !== null }, here, context),
    )
    if (!opened) return
    const run: OpenedRun = { ...newlyOpened, ...opened }
    const { known, at, hub, hosted, begun } = run
    try {
      const asked = terms(run.mode)
      const messageId = await sendFirstMessage(run, asked, { prompt, isNew }, context.stop)
      if (begun) begun.marks.prompted = performance.now() - since
      const isFar = known?.sandbox !== undefined
      const isHere = known !== null && !isFar && runs.holder(at.run) === null
      const runner = isHere ? startRunner(known, here, context) : null
      printRunStart(flags, { known, hosted, at, url: hub.url, isNew, isHere }, context)
      if (!isNew && !flags.detach) {
        await reportUnseen({ hub, at }, place, flags, context)
        await showDelegatedCard({ hub, at }, flags, context)
      }
      if (flags.detach) {
        const standing = detachedModeInWords(run.mode, asked, isNew)
        return await detach({ hub, at }, messageId, { runner, isFar, standing }, flags, context)
      }
      const inRun = { stateFolderPath: place, runnerEnded: runner?.ended ?? null }
      const end = await talkInRun(run, { prompt, messageId, lines }, inRun, flags, context)
      if (flags.timings && begun && end.is !== 'stopped')
        await printStartTimes({ hub, at }, begun, flags, context)
      await finishRun(run, end, { isTalk: lines !== null, runner }, here, flags, context)
    } catch (error) {
      if (context.stop.aborted && !(error instanceof Trouble))
        context.note(`${runInWords(at.run)} stays as it is. ${howToGoOn(at.run, context)}\n`)
      else throw hubTrouble(error, hub.url, context, reopening(at.run, context)) ?? error
    }
  })

type NewlyOpened = Pick<OpenedRun, 'hub' | 'at' | 'known'> & Partial<OpenedRun>

/** A new run, unless the command that made it says otherwise. */
const newlyOpened = { mode: 'interactive', hosted: null, link: null, begun: null } as const
