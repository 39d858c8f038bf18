import type { Hub } from '@farhand/client/requests/hub'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'

/** Acts at the hub that the user means; a refusal of the hub becomes Trouble. */
export const withHub = (flags: ReachFlags, context: CommandContext, act: (hub: Hub) => Promise<void>) =>
  withJsonErrors(flags, context, async () => {
    const hub = await hubAccess(flags, new StateFolder(stateFolderPath(flags.state, context)), context)
    try {
      await act(hub)
    } catch (error) {
      if (context.stop.aborted) return
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })
