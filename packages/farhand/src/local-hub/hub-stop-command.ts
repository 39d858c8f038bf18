import { statePlace } from '../context/state-place.ts'
import type { World } from '../context/world.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import { LocalHub } from './local-hub.ts'
import { stopLocalHub, surelyRunning } from './stop-local-hub.ts'

type Flags = { state?: unknown; json?: unknown }

/** Stops the user's own hub; resolves when it has ended. That it does not run is fine, too. */
export const hubStopCommand = (flags: Flags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const hub = new LocalHub(statePlace(flags.state, world))
    const stopped = await stopLocalHub(hub, world)
    if (!stopped) return tell({ stopped: false }, `No hub runs on ${hub.data}.`, flags, world)
    const again = `\`${world.called.farhand} run\` starts it again.`
    const how = stopped.isKilled ? 'did not end when asked and was killed' : 'has ended'
    tell({ stopped: true, ...stopped }, `The hub${at(stopped)} ${how}. ${again}`, flags, world)
  })

/** Says whether the user's own hub runs, and where it and its data are. */
export const hubStatusCommand = (flags: Flags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const hub = new LocalHub(statePlace(flags.state, world))
    const running = await surelyRunning(hub)
    const { data, log } = hub
    const words = running
      ? `Your own hub runs${at(running)} (process ${running.pid}).`
      : `Your own hub does not run${hub.hasData ? '' : ', and never has'}.`
    const where = hub.hasData ? `\nData    ${data}\nLog     ${log}` : ''
    tell({ running: running !== null, ...running, data, log }, `${words}${where}`, flags, world)
  })

/** Where the disk is full it may not have noted its address. */
const at = ({ url }: { url: string | null }) => (url === null ? '' : ` at ${url}`)

function tell(told: object, words: string, { json }: Flags, world: World): void {
  world.out(`${json ? JSON.stringify(told) : words}\n`)
}
