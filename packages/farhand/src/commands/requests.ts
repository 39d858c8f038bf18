import type { Hub } from '@farhand/client/requests/hub'
import { listDevices } from '@farhand/client/resources/accounts'
import {
  acceptRequest,
  cancelRequest,
  findRequest,
  listRequests,
  sendRequest,
} from '@farhand/client/resources/requests'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { DeviceRequest } from '@farhand/protocol/schemas/requests'
import { DeviceId, RequestId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { firstLine } from '../terminal/printing/shown-text.ts'
import { hubAccess } from './find-run/hub-access.ts'
import type { ReachFlags } from './find-run/reach-run.ts'

export type RequestFlags = ReachFlags &
  Readonly<Partial<Record<'all' | 'device' | 'needsDevice' | 'agent', unknown>>>

const stateWidth = 'canceled'.length
const mostTitle = 60
const leastTitle = 20

/** `farhand requests`: lists the requests of the user, newest first, and which of their devices are connected. */
export const listRequestsCommand = (flags: RequestFlags, context: CommandContext) =>
  withHub(flags, context, async (hub) => {
    const options = { signal: context.stop, patienceMs }
    let page = await listRequests(hub, options)
    const { online } = page
    const all = [...page.items]
    while (flags.all && page.next !== null) {
      page = await listRequests(hub, { ...options, cursor: page.next })
      all.push(...page.items)
    }
    if (flags.json) return context.out(all.map((one) => `${JSON.stringify(one)}\n`).join(''))
    const { farhand } = context.called
    context.note(
      online.length === 0
        ? 'No device of yours is connected.\n'
        : `Connected: ${online.map(({ device, since }) => `${device} since ${at(since)}`).join(', ')}\n`,
    )
    if (all.length === 0)
      return context.out(`There is no request yet. Send one: ${farhand} requests send "..."\n`)
    for (const one of all) {
      const room = Math.max(leastTitle, Math.min(mostTitle, context.columns - 60))
      context.out(
        `${one.id.slice(0, 12)}  ${one.state.padEnd(stateWidth)}  ${whereTo(one).padEnd(12)}  ${at(one.created_at)}  ${firstLine(one.message, room)}\n`,
      )
    }
    if (page.next !== null) context.out('and older ones: --all shows them\n')
    if (all.some(({ state }) => state === 'offered'))
      context.note(`What is offered waits for your yes: ${farhand} requests accept <id>\n`)
  })

/** `farhand requests send`: sends a message as a phone or a chat would. */
export const sendRequestCommand = (message: string, flags: RequestFlags, context: CommandContext) =>
  withHub(flags, context, async (hub) => {
    const device = flags.device === undefined ? null : await deviceNamed(hub, String(flags.device), context)
    const request = await sendRequest(
      hub,
      {
        message,
        channel: 'cli',
        ...(device !== null && { device }),
        ...(flags.needsDevice !== undefined && { needs_device: true }),
        ...(flags.agent !== undefined && { agent: String(flags.agent) }),
      },
      { signal: context.stop, patienceMs },
    )
    show(request, flags, context)
  })

/** `farhand requests show`: the whole fate of one request. */
export const showRequestCommand = (id: string, flags: RequestFlags, context: CommandContext) =>
  withHub(flags, context, async (hub) => show(await requestNamed(hub, id, context), flags, context))

/** `farhand requests accept`: says yes to what an agent in a sandbox left for the user's computer. */
export const acceptRequestCommand = (id: string, flags: RequestFlags, context: CommandContext) =>
  withHub(flags, context, async (hub) => {
    const request = await requestNamed(hub, id, context)
    show(await acceptRequest(hub, request.id, { signal: context.stop, patienceMs }), flags, context)
  })

/** `farhand requests cancel`: cancels a request that has not ended, or says no to one that was offered. */
export const cancelRequestCommand = (id: string, flags: RequestFlags, context: CommandContext) =>
  withHub(flags, context, async (hub) => {
    const request = await requestNamed(hub, id, context)
    show(await cancelRequest(hub, request.id, { signal: context.stop, patienceMs }), flags, context)
  })

function show(request: DeviceRequest, { json }: RequestFlags, context: CommandContext): void {
  if (json) {
    context.out(`${JSON.stringify(request)}\n`)
    return
  }
  const { id, run, states, notice, message, expires_at, state } = request
  context.out(`${id}  ${state}  ${whereTo(request)}\n`)
  if (notice !== null) context.out(`${firstLine(notice, 1000)}\n`)
  context.out(`Message: ${firstLine(message, 1000)}\n`)
  for (const step of states) context.out(`${at(step.at)}  ${step.state.padEnd(stateWidth)}  ${step.reason}\n`)
  if (expires_at !== null && ['offered', 'queued', 'sent'].includes(state))
    context.out(`It waits until ${at(expires_at)}.\n`)
  context.note(`What was said and done: ${context.called.farhand} attach ${run}\n`)
}

const whereTo = ({ decided, device }: DeviceRequest) =>
  decided === 'cloud' ? 'sandbox' : device === null ? 'any device' : device.slice(0, 12)

const at = (time: string) => time.slice(0, 16).replace('T', ' ')

/** The request with this id, or with an id that begins like this. */
async function requestNamed(hub: Hub, given: string, context: CommandContext): Promise<DeviceRequest> {
  const options = { signal: context.stop, patienceMs }
  const begin = given.startsWith('req_') ? given : `req_${given}`
  if (begin.length < 'req_'.length + 4)
    throw new Trouble(
      'usage',
      `${given} is too short for a request.`,
      'Give its id, or at least 4 letters of it.',
    )
  for (let page = await listRequests(hub, options); ; ) {
    const found = page.items.filter(({ id }) => id.startsWith(begin))
    if (found.length === 1) return found[0]!
    if (found.length > 1)
      throw new Trouble('usage', `Several requests begin with ${begin}.`, 'Give more letters of the id.')
    if (page.next === null) break
    page = await listRequests(hub, { ...options, cursor: page.next })
  }
  const whole = RequestId.safeParse(begin)
  if (whole.success) return await findRequest(hub, whole.data, options)
  throw new Trouble(
    'usage',
    `No request begins with ${begin}.`,
    `List them: ${context.called.farhand} requests`,
  )
}

/** A bound device of the user, by its id or its name. */
async function deviceNamed(hub: Hub, given: string, context: CommandContext): Promise<DeviceId> {
  const id = DeviceId.safeParse(given)
  if (id.success) return id.data
  const devices = await listDevices(hub, { signal: context.stop, patienceMs })
  const found = devices.filter(({ name }) => name === given)
  if (found.length === 1) return found[0]!.id
  throw new Trouble(
    'usage',
    found.length === 0 ? `You have no device called ${given}.` : `Several devices are called ${given}.`,
    `Give its id; \`${context.called.farhand} devices\` lists them.`,
  )
}

const withHub = (flags: RequestFlags, context: CommandContext, act: (hub: Hub) => Promise<void>) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const hub = await hubAccess(flags, state, context)
    try {
      await act(hub)
    } catch (error) {
      if (context.stop.aborted) return
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })
