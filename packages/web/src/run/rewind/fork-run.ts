import type { Hub } from '@farhand/client/requests/hub'
import { createRun } from '@farhand/client/resources/resources'
import { renameRun } from '@farhand/client/resources/run-preferences'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'

type Fork = { event: number; title: string; key: string }

/** Makes a run that begins where another one was after an event; with the same key it is the same one. */
export async function forkRun(hub: Hub, at: RunAddress, { event, title, key }: Fork): Promise<RunId> {
  // A long log takes its time: who has asked the hub waits for that.
  const made = await createRun(hub, at.project, at.task, { fork: { run: at.run, event } }, { key })
  // The run is there, whatever it is called.
  await renameRun(hub, made.id, title, { patienceMs: 5000 }).catch(() => {})
  return made.id
}
