import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { findRunningHub, stopLocalHub } from '@farhand/device/local-hub/stop-local-hub'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { hubData, localHubParts } from './local-hub-parts.ts'

type Flags = { state?: unknown; json?: unknown }

/** Stops the local hub; resolves when it has ended, also if it was not running. */
export const hubStopCommand = (flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const hub = new LocalHub(stateFolderPath(flags.state, context))
    const stopped = await stopLocalHub(hub, localHubParts(context))
    if (!stopped) return tell({ stopped: false }, `No hub runs on ${hub.data}.`, flags, context)
    const again = `\`${context.called.farhand} run\` starts it again.`
    const how = stopped.isKilled ? 'did not stop when asked and was killed' : 'has stopped'
    tell({ stopped: true, ...stopped }, `The hub${at(stopped)} ${how}. ${again}`, flags, context)
  })

export const hubStatusCommand = (flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const hub = new LocalHub(stateFolderPath(flags.state, context))
    const running = await findRunningHub(hub, hubData)
    const { data, log } = hub
    const words = running
      ? `Your own hub runs${at(running)} (process ${running.pid}).`
      : `Your own hub does not run${hub.hasData ? '' : ', and never has'}.`
    const where = hub.hasData ? `\nData    ${data}\nLog     ${log}` : ''
    tell({ running: running !== null, ...running, data, log }, `${words}${where}`, flags, context)
  })

/** On a full disk the hub may not have written its address. */
const at = ({ url }: { url: string | null }) => (url === null ? '' : ` at ${url}`)

function tell(told: object, words: string, { json }: Flags, context: CommandContext): void {
  context.out(`${json ? JSON.stringify(told) : words}\n`)
}
