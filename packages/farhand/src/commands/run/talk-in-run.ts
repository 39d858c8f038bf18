import { reviveLocalHub } from '@farhand/device/local-hub/revive-local-hub'
import { LastShown } from '@farhand/device/presence/last-shown'
import type { Trouble } from '@farhand/device/trouble/trouble'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { chooseScreen } from '../../terminal/choose-screen.ts'
import { type ConverseEnd, converse } from '../../terminal/conversation/converse.ts'
import { rememberShown } from '../attach/reattach.ts'
import { reportHeldBack } from '../first-look/report-held-back.ts'
import { localHubParts } from '../local-hub/local-hub-parts.ts'
import type { OpenedRun } from './join-run.ts'
import type { AgentRunFlags } from './run-flags.ts'
import { howToAnswer, printLinkEnd } from './run-output.ts'

type Said = { prompt: string | undefined; messageId: number | null; lines: CommandContext['lines'] }

/** Shows the run and sends what the user types, until the turn or the run is over, or the user leaves. */
export async function talkInRun(
  { hub, at, known, hosted, link }: OpenedRun,
  { prompt, messageId, lines }: Said,
  { stateFolderPath, runnerEnded }: { stateFolderPath: string; runnerEnded: Promise<Trouble | null> | null },
  flags: AgentRunFlags,
  context: CommandContext,
): Promise<ConverseEnd> {
  const isNew = flags.run === undefined
  const state = new StateFolder(stateFolderPath)
  const workspace = (known ?? hosted)?.workspace || null
  const how = {
    json: flags.json,
    hint: lines ? () => null : () => howToAnswer(at.run, context),
    isFar: known?.sandbox !== undefined,
    isTalk: lines !== null,
    stateFolderPath,
    workspace,
    lookedAt: isNew ? null : new LastShown(stateFolderPath, at.run).eventId,
  }
  const { screen, done } = rememberShown(await chooseScreen(how, context), { at }, stateFolderPath)
  if (prompt !== undefined) screen.saying(prompt)
  printLinkEnd(link, screen, flags, context)
  const tellNoMore =
    link && workspace
      ? reportHeldBack(state.placeOf(workspace), { isNew }, (line) => screen.sayBetween(line), context)
      : null
  const over = new AbortController()
  // The user's own hub is started again whenever it dies.
  void reviveLocalHub(state, localHubParts({ ...context, terminal: false }), over.signal)
  try {
    return await converse({ hub, at, screen, messageId, lines, runnerEnded }, context)
  } finally {
    over.abort()
    tellNoMore?.()
    done()
  }
}
