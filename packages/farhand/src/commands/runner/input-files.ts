import path from 'node:path'
import { findRun } from '@farhand/client/resources/resources'
import { runNamed } from '@farhand/device/find-run/run-named'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { RunnerOptions } from '@farhand/runner/runner'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { hubAccess } from '../find-run/hub-access.ts'

export type ServerFlags = Readonly<
  Partial<
    Record<
      'run' | 'agent' | 'mode' | 'sessionId' | 'messagesPath' | 'controlPath' | 'hub' | 'token' | 'json',
      unknown
    >
  >
>

/** The files from which a runner reads messages and controls; null without server mode; Trouble if a flag is missing. */
export function inputFiles(
  flags: ServerFlags,
  { cwd }: CommandContext,
): { messages: string; control: string } | null {
  const { mode, messagesPath, controlPath } = flags
  if (mode === undefined && messagesPath === undefined && controlPath === undefined) return null
  if (mode !== 'server')
    throw new Trouble('usage', 'Input files need server mode.', 'Give --mode server, or leave the files out.')
  if (messagesPath === undefined || controlPath === undefined)
    throw new Trouble(
      'usage',
      'Which files are messages and controls appended to?',
      'Name both: --messagesPath <file> --controlPath <file>. They need not be there yet.',
    )
  return {
    messages: path.resolve(cwd, String(messagesPath)),
    control: path.resolve(cwd, String(controlPath)),
  }
}

/** The agent that the run was made for, if no flag names one. */
export async function agentOfRun(
  flags: ServerFlags,
  state: StateFolder,
  context: CommandContext,
): Promise<string> {
  const named = runNamed(String(flags.run))
  const next = 'Name it: --agent <id>.'
  if (named.is === 'new') throw new Trouble('usage', 'A runner needs an existing run.', next)
  const hub = await hubAccess(flags, state, context)
  const run = named.is === 'id' ? named.run : named.at.run
  const { agent } = await findRun(hub, run, { signal: context.stop, patienceMs }).catch(
    asHubTrouble(hub.url, context),
  )
  if (agent === null) throw new Trouble('usage', `${run} names no agent.`, next)
  return agent
}

/** Does the work; meanwhile lines appended to these files are posted with the user's token. */
export async function readInputFiles<End>(
  files: { messages: string; control: string },
  at: RunAddress,
  notes: string,
  { flags, state, context }: { flags: ServerFlags; state: StateFolder; context: CommandContext },
  work: (signal: AbortSignal, alsoChanged: RunnerOptions['alsoChanged']) => Promise<End>,
): Promise<End> {
  const [{ withInputFiles }, { ReportedChanges }, hub] = await Promise.all([
    import('@farhand/runner/input-files/with-input-files'),
    import('@farhand/runner/input-files/reported-changes'),
    // Not with the runner's token: a runner may not send messages.
    hubAccess(flags, state, context),
  ])
  const onTrouble = (file: string, why: string) => {
    if (flags.json) context.out(`${JSON.stringify({ event: 'passed-over', file, why })}\n`)
    else context.note(`A line of ${file} is passed over: ${why}.\n`)
  }
  const told = new ReportedChanges(notes)
  const onChanged = (paths: readonly string[]) => told.tell(paths)
  return await withInputFiles(
    { hub, at, ...files, state: notes, onTrouble, onChanged, signal: context.stop },
    (signal) => work(signal, () => told.take()),
  )
}
