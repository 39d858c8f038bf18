import { TaskClient } from '@farhand/client/delegated/task-client'
import type { HubAccess } from '@farhand/device/account/find-hub'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'

/** The hub of a tool call, looked up anew each time: a user signs in, or a token is renewed, while the server runs. */
export type ReachHub = {
  (): Promise<{ hub: HubAccess; tasks: TaskClient }>
  /** What went wrong in a call, as an error with a next step; null if it is not known. */
  explain(error: unknown): Trouble | null
}

export function reachHub(flags: ReachFlags, context: CommandContext): ReachHub {
  let url = 'its address'
  const reach = async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const hub = await hubAccess(flags, state, context, { folder: context.cwd })
    url = hub.url
    return { hub, tasks: new TaskClient(hub, { patienceMs }) }
  }
  const explain = (error: unknown) => (error instanceof Trouble ? error : hubTrouble(error, url, context))
  return Object.assign(reach, { explain })
}
