import { setTimeout as pause } from 'node:timers/promises'
import { statePlace } from '../state-place.ts'
import { Trouble } from '../trouble.ts'
import { whileWaiting } from '../while-waiting.ts'
import { withJsonErrors } from '../with-json-errors.ts'
import type { World } from '../world.ts'
import { OwnHub } from './own-hub.ts'

type Flags = { state?: unknown; json?: unknown }

/** Longer than a hub gives itself for what is under way. */
const mostMs = 15_000

/** Stops the user's own hub; resolves when it has ended. That it does not run is fine, too. */
export const hubStopCommand = (flags: Flags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const hub = new OwnHub(statePlace(flags.state, world))
    const running = await runningNow(hub)
    if (!running) return tell({ stopped: false }, `No hub runs on ${hub.data}.`, flags, world)
    process.kill(running.pid, 'SIGTERM')
    const since = Date.now()
    await whileWaiting('the hub is finishing what is under way', world, async () => {
      // Not for the process: where nobody buries the dead, it would seem to be there for good.
      while ((await isTaken(hub)) && Date.now() - since < mostMs)
        await pause(20, undefined, { signal: world.stop })
    })
    if (await isTaken(hub))
      throw new Trouble(
        'failed',
        `The hub at ${running.url} (process ${running.pid}) does not end.`,
        `${hub.log} may say why.`,
      )
    const again = `\`${world.called.farhand} run\` starts it again.`
    tell({ stopped: true, ...running }, `The hub at ${running.url} has ended. ${again}`, flags, world)
  })

/** Says whether the user's own hub runs, and where it and its data are. */
export const hubStatusCommand = (flags: Flags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const hub = new OwnHub(statePlace(flags.state, world))
    const running = await runningNow(hub)
    const { data, log } = hub
    const words = running
      ? `It runs at ${running.url} (process ${running.pid}).`
      : `It does not run${hub.hasData ? '' : ', and never has'}.`
    const where = hub.hasData ? `\nData    ${data}\nLog     ${log}` : ''
    tell({ running: running !== null, ...running, data, log }, `${words}${where}`, flags, world)
  })

/** A file that a killed hub has left may name a process of somebody else by now; that the data is taken proves it. */
async function runningNow(hub: OwnHub): Promise<{ url: string; pid: number } | null> {
  const { running } = hub
  return running && (await isTaken(hub)) ? running : null
}

async function isTaken({ data }: OwnHub): Promise<boolean> {
  const { lockData } = await import('@farhand/hub/store/data-lock')
  const lock = lockData(data)
  if (lock === 'taken') return true
  lock.release()
  return false
}

function tell(told: object, words: string, { json }: Flags, world: World): void {
  world.out(`${json ? JSON.stringify(told) : words}\n`)
}
