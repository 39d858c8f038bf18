import type { RunView } from '@farhand/protocol/runs/run-view'

/** Work of a runner that the log does not show, or not yet. */
export type UnderWay = { turn: boolean; setup: boolean; commands: boolean; files: boolean }

export type RestAnswer = { for: number; rests: boolean; reason?: string }

/**
 * What a runner answers when the hub asks whether it can rest (W37); null if the hub did not ask, or has its answer.
 * A runner rests only with nothing to do. Events after the request are for the next runner, whether this one has read
 * them or not.
 */
export function restAnswer(
  { rest, ...view }: RunView,
  answered: number,
  underWay: UnderWay,
): RestAnswer | null {
  if (!rest || rest.rests !== null || rest.request <= answered) return null
  const waits = view.unacked.some((ids) => ids.some((id) => id < rest.request))
  const reason =
    underWay.turn || view.openTurns.length > 0
      ? 'a turn is under way'
      : view.openQuestions.length > 0
        ? 'a question waits for its answer'
        : waits && view.status !== 'paused'
          ? 'a message waits'
          : underWay.commands
            ? 'a command runs'
            : underWay.files
              ? 'a file is being sent'
              : underWay.setup
                ? 'the setup command runs'
                : null
  return { for: rest.request, rests: reason === null, ...(reason !== null && { reason }) }
}
