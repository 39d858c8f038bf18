import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import type { KnownRun } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { CommandContext } from '../../context/command-context.ts'
import type { RunScreen } from '../../terminal/run-screen/run-screen.ts'
import type { StartedLink } from '../link/start-link.ts'
import { type Begun, startTimes, timesInWords } from './start-times.ts'

type Flags = { json?: unknown }
type Told = {
  known: KnownRun | null
  /** The run, if another process of this machine hosts its agent. */
  hosted: KnownRun | null
  at: RunAddress
  url: string
  isNew: boolean
  isHere: boolean
}

/** Prints the run, its agent and where the agent works. */
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
      `${here.agent} works in ${here.workspace}, ${runInWords(at.run)}. It has no sandbox: it runs with your own permissions.\n`,
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

/** How to answer a question, for a command that cannot read the user's input. */
export const howToAnswer = (run: string, { called }: CommandContext) =>
  `  Answer it: ${called.farhand} answer ${runInWords(run)} <answer>. The run waits for it; with --background it would not.`

/** Tells the user when the link of the folder ends while the run goes on. */
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

/** Prints how long each step took, from the start of the command to the agent's first word. */
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
