import type { Hub } from '@farhand/client/requests/hub'
import { listDevices, revokeDevice } from '@farhand/client/resources/accounts'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { BoundDevice } from '@farhand/protocol/schemas/accounts'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { shownText } from '../../terminal/printing/shown-text.ts'
import { hubAccess } from '../find-run/hub-access.ts'

type Flags = Readonly<Partial<Record<'hub' | 'token' | 'state' | 'json', unknown>>>

/** Lists the devices that the user has bound. */
export const listDevicesCommand = (flags: Flags, context: CommandContext) =>
  withHub(flags, context, async (hub) => {
    const devices = await listDevices(hub, { signal: context.stop, patienceMs })
    if (flags.json) return context.out(`${JSON.stringify(devices)}\n`)
    if (devices.length === 0)
      return context.out(
        `You have bound no device to ${hub.url}. Bind this one: ${context.called.farhand} bind ${hub.url}\n`,
      )
    const width = Math.max(4, ...devices.map(({ name }) => name.length))
    const row = (name: string, seen: string, since: string, id: string) =>
      `${name.padEnd(width)}  ${seen.padEnd(16)}  ${since.padEnd(10)}  ${id}\n`
    context.out(row('name', 'last seen', 'since', 'id'))
    for (const { id, name, lastSeenAt, createdAt, isThis } of devices) {
      const seen = isThis ? 'this one' : lastSeenAt.slice(0, 16).replace('T', ' ')
      context.out(row(shownText(name), seen, createdAt.slice(0, 10), id))
    }
  })

/** Revokes one of the user's devices, named by its id or its name. */
export const revokeDeviceCommand = (said: string, flags: Flags, context: CommandContext) =>
  withHub(flags, context, async (hub) => {
    const device = oneOf(await listDevices(hub, { signal: context.stop, patienceMs }), said, context)
    await revokeDevice(hub, device.id, { signal: context.stop, patienceMs })
    if (flags.json) return context.out(`${JSON.stringify({ event: 'revoked', ...device })}\n`)
    context.out(
      `${shownText(device.name)} is revoked: its tokens work no more, nor do the browsers that were signed in from it.\n`,
    )
  })

function oneOf(devices: readonly BoundDevice[], said: string, { called }: CommandContext): BoundDevice {
  const list = `${called.farhand} devices`
  const found = devices.filter(({ id, name }) => id === said || name === said)
  const [device] = found
  if (device && found.length === 1) return device
  if (!device)
    throw new Trouble('usage', `You have bound no device called ${said}.`, `\`${list}\` lists them.`)
  throw new Trouble(
    'usage',
    `Several devices are called ${said}.`,
    `Name one by its id: \`${list}\` shows them.`,
  )
}

const withHub = (flags: Flags, context: CommandContext, act: (hub: Hub) => Promise<void>) =>
  withJsonErrors(flags, context, async () => {
    const hub = await hubAccess(flags, new StateFolder(stateFolderPath(flags.state, context)), context)
    try {
      await act(hub)
    } catch (error) {
      if (context.stop.aborted) return
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })
