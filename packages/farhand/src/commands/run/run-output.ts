import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { CommandContext } from '../../context/command-context.ts'
import { patienceMs } from '../../errors/hub-trouble.ts'
import type { StartedLink } from '../../linked-folders/start-link.ts'
import type { KnownRun } from '../../local-runs/local-runs.ts'
import { runInWords } from '../../printing/run-in-words.ts'
import type { RunScreen } from '../../run-screen/run-screen.ts'
import type { Begun } from './sandbox-run.ts'
import { startTimes, timesInWords } from './start-times.ts'

type Flags = { json?: unknown }
type Told = {
  known: KnownRun | null
  /** A run whose agent works here, by another process of this machine. */
  hosted: KnownRun | null
  at: RunAddress
  url: string
  isNew: boolean
  isHere: boolean
}

/** Says which run this is, who works on it and where. */
export function printRunStart(
  flags: Flags,
  { known, hosted, at, url, isNew, isHere }: Told,
  context: CommandContext,
): void {
  const here = isHere ? known : hosted
  const { agent = null, workspace = '', sandbox, worktree } = known ?? {}
  const folder = workspace || null
  if (flags.json)
    context.out(
      `${JSON.stringify({ event: 'run', hub: url, ...at, agent, folder, isNew, isHere, ...(sandbox && { sandbox }), ...(worktree && { worktree }) })}\n`,
    )
  else if (here)
    context.note(
      `${here.agent} works in ${here.workspace}, ${runInWords(at.run)}. Nothing isolates it: it may do what you may.\n`,
    )
  else if (sandbox)
    context.note(
      `${agent} works in a sandbox of ${url}, ${runInWords(at.run)}.${folder ? ` Its files are kept in step with ${folder}.` : ''}\n`,
    )
  else context.note(`${runInWords(at.run)}; its agent works elsewhere.\n`)
  if (!flags.json && isNew && context.terminal)
    context.note(
      `In a browser: ${url}/runs/${at.run} (\`${context.called.farhand} up\` signs in, also on a phone)\n`,
    )
}

/** How a question is answered from elsewhere, for whoever waits where nobody types. */
export const howToAnswer = (run: string, { called }: CommandContext) =>
  `  Answer it: ${called.farhand} answer ${runInWords(run)} <answer>. It is waited for; with --background it is not.`

/** Says when a folder is no longer kept in sync though the run goes on, as nobody else would. */
export function printLinkEnd(
  link: StartedLink | null,
  screen: RunScreen,
  flags: Flags,
  context: CommandContext,
): void {
  link?.ended.then((trouble) => {
    if (!trouble) return
    const { message, nextStep } = trouble
    if (flags.json) context.out(`${JSON.stringify({ event: 'unlinked', message, nextStep })}\n`)
    else screen.sayBetween(`Files are no longer kept in step: ${message}\n${nextStep}`)
  })
}

/** Says how long each step took from the beginning of the command to the agent's first word. */
export async function printStartTimes(
  { hub, at }: { hub: Hub; at: RunAddress },
  { marks, createdAt }: Begun,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const events: SeenEvent[] = []
  for await (const event of readLog(hub, at, { signal: context.stop, patienceMs })) events.push(event)
  const steps = startTimes(marks, createdAt, events)
  if (flags.json) context.out(`${JSON.stringify({ event: 'timings', steps })}\n`)
  else for (const line of timesInWords(steps)) context.note(`${line}\n`)
}
