import type { CommandContext } from '../context/command-context.ts'
import { Trouble } from '../errors/trouble.ts'
import { withRun } from '../finish/run-to-finish.ts'
import { runInWords } from '../printing/run-in-words.ts'
import type { HandoffReporter } from './handoff-reporter.ts'
import type { HandoffRun } from './handoff-run.ts'

/** Has what the agent has committed elsewhere arrive here, under names of the run's. Without it the run works here all the same. */
export async function commitsHere(
  { hub, at, state }: HandoffRun,
  tell: HandoffReporter,
  context: CommandContext,
): Promise<void> {
  try {
    const names: string[] = []
    const flags = { state: state.root, hub: hub.url, token: hub.token }
    await withRun(at.run, flags, context, async ({ taken, base, tip }) => {
      if (tip === null || tip === base) return
      names.push(...taken.refs.map(({ ref }) => ref.replace(/^refs\//, '')))
    })
    const branches = names.filter((name) => !/\/(base|checkpoint|pushed)$/.test(name))
    if (branches.length === 0) return
    const take = `\`${context.called.farhand} commits ${runInWords(at.run)}\` says how to have it on a branch of yours`
    tell.commits(branches, `What it has committed there is ${branches.join(', ')} here; ${take}.`)
  } catch (error) {
    context.stop.throwIfAborted()
    // A folder without a repository has none of it, as nobody expects otherwise.
    if (error instanceof Trouble && error.exit === 'usage') return
    tell.warn(`What it has committed stays at the hub for now: ${(error as Error).message}`)
  }
}
