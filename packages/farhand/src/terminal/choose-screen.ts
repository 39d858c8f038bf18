import type { CommandContext } from '../context/command-context.ts'
import { jsonRunScreen, type RunScreen, textRunScreen } from './run-screen/run-screen.ts'

type How = {
  json: unknown
  /** A hint how to answer a question with another command; null if it is answered here. */
  hint: (questionId: string) => string | null
  isFar: boolean
  /** Whether the user can type here. */
  isTalk: boolean
  stateFolderPath: string
  /** The folder here that has the files of the run; null if none has. */
  workspace: string | null
  /** The last event that the user has been shown before; null if none. */
  lookedAt: number | null
}

/** The screen for a run: the live screen at a capable terminal, plain lines otherwise, JSON with --json. */
export async function chooseScreen(how: How, context: CommandContext): Promise<RunScreen> {
  const { json, hint, isFar, isTalk, stateFolderPath, workspace, lookedAt } = how
  if (json) return jsonRunScreen(context, lookedAt)
  const terminal = isTalk ? await context.keyed?.() : null
  if (!terminal) return textRunScreen(context, hint, isFar, lookedAt)
  const [{ LiveScreen }, { HistoryFile }, { colorDepth }] = await Promise.all([
    import('./live-screen.ts'),
    import('./history-file.ts'),
    import('./lines/palette.ts'),
  ])
  const depth = colorDepth(context.color, context.env)
  return new LiveScreen({
    terminal,
    depth,
    history: new HistoryFile(stateFolderPath),
    isFar,
    workspace,
    lookedAt,
  })
}
