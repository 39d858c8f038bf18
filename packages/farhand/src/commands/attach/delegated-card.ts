import { TaskClient } from '@farhand/client/delegated/task-client'
import type { Hub } from '@farhand/client/requests/hub'
import { findListedRun } from '@farhand/client/resources/resources'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { CommandContext } from '../../context/command-context.ts'
import { cardInLines } from '../tasks/task-in-words.ts'

/** Prints the card of the task, if a program delegated one with this run. */
export async function showDelegatedCard(
  { hub, at }: { hub: Hub; at: RunAddress },
  { json }: { json?: unknown },
  context: CommandContext,
): Promise<void> {
  if (json) return
  const options = { signal: context.stop, patienceMs }
  const { delegated } = await findListedRun(hub, at.run, options)
  if (!delegated) return
  const task = await new TaskClient(hub, options).get(delegated)
  for (const line of cardInLines(task, context, Date.now())) context.note(`${line}\n`)
}
