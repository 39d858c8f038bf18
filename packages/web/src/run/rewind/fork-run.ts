import type { Hub } from '@farhand/client/requests/hub'
import { createRun } from '@farhand/client/resources/resources'
import { renameRun } from '@farhand/client/resources/run-preferences'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'

type Fork = { event: number; title: string; key: string }

/** Forks a run after an event; the same key gives the same fork. */
export async function forkRun(hub: Hub, at: RunAddress, { event, title, key }: Fork): Promise<RunId> {
  // // No time limit: the hub takes a while to copy a long log.
  const made = await createRun(hub, at.project, at.task, { fork: { run: at.run, event } }, { key })
  // // The fork exists even if renaming it fails.
  await renameRun(hub, made.id, title, { patienceMs: 5000 }).catch(() => {})
  return made.id
}
