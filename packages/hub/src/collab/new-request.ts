import { createHash } from 'node:crypto'
import type { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import { computerIsOff, type DeviceRequest, type NewRequest } from '@farhand/protocol/schemas/requests'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { type DeviceId, newId, RequestId, type RunId, TaskId, type UserId } from '@farhand/protocol/wire/ids'
import { once } from '../store/idempotency.ts'
import { hubProject } from '../store/projects.ts'
import { createRun, findRun } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { createTask } from '../store/tasks.ts'
import type { Presence } from './presence.ts'
import { asRequest, countOpen, devicesUsed, insertRequest, originsOf, requestOfRun } from './request-rows.ts'
import type { Requests } from './requests.ts'
import { settled } from './requests.ts'
import { type Route, type Routing, routeRequest } from './route-request.ts'

/** Who asks: a user, from a browser, a channel or one of their devices. */
export type Asker = { user: UserId; device: DeviceId | null }

export type NewRequestParts = {
  db: Db
  requests: Requests
  presence: Presence
  agentsHere: (user: UserId) => Promise<AvailableAgents>
  /** Why this user's runs may not use the sandbox of this hub; null if they may. */
  refusal: (user: UserId) => Promise<string | null>
  /** Must be called when there is a run that lists do not know. */
  touched: (run: RunId) => void
}

/** Requests that have not ended. */
const mostOpen = { ofUser: 500, inConversation: 50 }

type Routed = { route: Exclude<Route, { to: 'refused' }>; agent: string | null }

/** Routes a request, makes its run, and gives it to where it was routed (W103). The same key gives the same request again. */
export async function askRequest(
  parts: NewRequestParts,
  asker: Asker,
  body: NewRequest,
  key: string | undefined,
): Promise<DeviceRequest> {
  const { user } = asker
  const continued =
    body.conversation === undefined ? null : await conversationOf(parts.db, user, body.conversation)
  await mustBeOwn(parts.db, user, body.device, 'device')
  await mustBeOwn(parts.db, user, body.origin_device, 'origin_device')
  const from = [asker.device, body.origin_device ?? null].filter((one) => one !== null)
  const origins = [...new Set([...from, ...(continued?.origins ?? [])])]
  const needsDevice = body.needs_device ?? false
  const { route, agent } = await routed(parts, user, {
    ...{ named: body.device ?? null, needsDevice, origins, agent: body.agent },
    conversation: continued?.place ?? null,
  })
  const call = { user, key, route: 'requests', body }
  const at = parts.requests.now()
  const { id } = await once(parts.db, call, async (trx) => {
    // A conversation that was in a sandbox cannot go on at a device: that gets a run of its own.
    const goesOn = continued !== null && (continued.place.on === 'device') === (route.to !== 'cloud')
    const run = goesOn ? continued.run : await newRun(trx, user, body.message, route, agent, at)
    await mustBeFew(trx, user, goesOn ? run : null)
    const id = newId(RequestId, 'req')
    await insertRequest(trx, {
      ...{ id, user_id: user, run_id: run, message: body.message },
      message_digest: createHash('sha256').update(body.message).digest('hex'),
      channel: body.channel ?? 'web',
      origin_devices: JSON.stringify(origins),
      needs_device: needsDevice ? 1 : 0,
      part_of: null,
      ...rowOf(route, needsDevice, parts.requests.deadline(), continued !== null),
      created_at: at.toISOString(),
    })
    return { id }
  })
  const request = await parts.requests.settle(id)
  parts.touched(request.run)
  return request
}

/** Makes a request of what was offered: it never goes to a sandbox, where it could not be done before. */
export async function acceptRequest(
  parts: NewRequestParts,
  user: UserId,
  id: string | undefined,
): Promise<DeviceRequest> {
  const offered = await parts.requests.ofUser(user, id)
  if (offered.state !== 'offered') {
    // A yes that was sent twice is one yes.
    if (['routed', 'queued', 'sent', 'working', 'done'].includes(offered.state) && offered.part_of !== null)
      return asRequest(offered)
    throw settled(offered)
  }
  const origins = originsOf(offered)
  const asked = { named: null, needsDevice: true, origins, agent: undefined, conversation: null }
  const { route } = await routed(parts, user, asked)
  const now = parts.requests.now()
  const isOurs = await parts.db
    .transaction()
    .execute(async (trx) => {
      await mustBeFew(trx, user, null)
      const run = await newRun(trx, user, offered.message, route, null, now)
      const { state: _, reason, ...row } = rowOf(route, true, parts.requests.deadline(), false)
      const step = { state: 'routed' as const, at: now.toISOString(), reason: `you said yes; ${reason}` }
      const { numUpdatedRows } = await trx
        .updateTable('acp_requests')
        .set({
          ...row,
          state: 'routed',
          run_id: run,
          states: JSON.stringify([...asRequest(offered).states, step]),
        })
        .where('id', '=', offered.id)
        .where('state', '=', 'offered')
        .executeTakeFirst()
      if (Number(numUpdatedRows) === 0) throw new LostRace()
      return true
    })
    .catch((error: unknown) => {
      if (error instanceof LostRace) return false
      throw error
    })
  if (!isOurs) return await acceptRequest(parts, user, id)
  const request = await parts.requests.settle(offered.id)
  parts.touched(request.run)
  return request
}

/** Another writer was first: what this one has made is rolled back. */
class LostRace extends Error {}

async function routed(
  parts: NewRequestParts,
  user: UserId,
  asked: Pick<Routing, 'named' | 'needsDevice' | 'origins' | 'conversation'> & { agent: string | undefined },
): Promise<Routed> {
  const { db, presence } = parts
  const used = await devicesUsed(db, user)
  const cloud = await cloudOf(parts, user, asked.agent)
  const candidates = presence.online(user).map(({ device, since }) => ({
    id: device,
    isOnline: true,
    lastUsedAt: used.get(device) ?? '',
    onlineSince: since,
  }))
  const route = routeRequest({ ...asked, candidates, whyNoCloud: 'why' in cloud ? cloud.why : null })
  if (route.to === 'refused') throw new Fault('acp.request-refused', route.reason)
  return { route, agent: 'agent' in cloud ? cloud.agent : null }
}

/** The agent that answers in a sandbox: the one asked for, else the one of the newest run that can be used here, else the first. */
async function cloudOf(
  { db, agentsHere, refusal }: NewRequestParts,
  user: UserId,
  asked: string | undefined,
): Promise<{ agent: string } | { why: string }> {
  const { agents, sandboxes, usual } = await agentsHere(user)
  if (usual === 'none' || !sandboxes.some(({ unusable }) => unusable === null))
    return { why: 'this hub has no sandboxes' }
  const why = await refusal(user)
  if (why !== null) return { why }
  const usable = agents.filter(({ state }) => state === 'usable').map(({ id }) => id)
  if (asked !== undefined) {
    const known = agents.find(({ id }) => id === asked)
    if (!known || known.state === 'not-installed') throw malformed('agent', 'this hub has no such agent')
    return { agent: asked }
  }
  const rows = await db
    .selectFrom('runs')
    .select('agent')
    .where('owner_id', '=', user)
    .where('agent', 'is not', null)
    .orderBy('owner_nth', 'desc')
    .limit(20)
    .execute()
  const agent = rows.map((row) => row.agent!).find((one) => usable.includes(one)) ?? usable[0]
  return agent === undefined ? { why: 'no agent of this hub can be used' } : { agent }
}

function rowOf(route: Routed['route'], needsDevice: boolean, deadline: string, isContinued: boolean) {
  const device = route.to === 'cloud' ? null : route.device
  const common = {
    state: 'routed',
    decided: route.to,
    device_id: device,
    message_event: null,
    reason: route.reason,
  } as const
  if (route.to === 'device') return { ...common, notice: null, expires_at: deadline }
  // In a conversation in a sandbox the user knows that already.
  if (route.to === 'cloud') return { ...common, notice: isContinued ? null : computerIsOff, expires_at: null }
  const waits = `It is queued until ${deadline.slice(0, 10)}, and done once when your computer is back.`
  const why = needsDevice ? '' : ` (${route.reason})`
  return { ...common, notice: `${computerIsOff} ${waits}${why}`, expires_at: deadline }
}

async function newRun(
  trx: Db,
  user: UserId,
  message: string,
  route: Routed['route'],
  agent: string | null,
  now: Date,
): Promise<RunId> {
  const project = await hubProject(trx, user, 'requests', now)
  const title = message.trim().split('\n')[0]!.slice(0, 200).trim() || 'Request'
  const task = await createTask(trx, project, { title }, now)
  const isCloud = route.to === 'cloud'
  const asked = isCloud ? { ...(agent !== null && { agent }) } : { sandbox: 'none' }
  return (await createRun(trx, { project, task: TaskId.parse(task.id) }, asked, now)).id
}

/** The run of an earlier request of this user; any other run is answered as if there were none. */
async function conversationOf(db: Db, user: UserId, run: RunId) {
  const found = await findRun(db, { run })
  const request = found?.owner === user ? await requestOfRun(db, run) : null
  if (!request) throw new Fault('run.unknown', 'there is no such conversation')
  const place =
    request.decided === 'cloud'
      ? ({ on: 'cloud' } as const)
      : { on: 'device' as const, device: request.device_id }
  return { run, place, origins: originsOf(request) }
}

async function mustBeFew(db: Db, user: UserId, conversation: RunId | null): Promise<void> {
  const refuse = (open: number, where: string) =>
    new Fault(
      'acp.request-refused',
      `you have ${open} open requests${where}; cancel some, or wait until some are done`,
    )
  if ((await countOpen(db, user, null)) >= mostOpen.ofUser) throw refuse(mostOpen.ofUser, '')
  if (conversation !== null && (await countOpen(db, user, conversation)) >= mostOpen.inConversation)
    throw refuse(mostOpen.inConversation, ' in this conversation')
}

/** Devices of other users are answered as those that do not exist. */
async function mustBeOwn(db: Db, user: UserId, device: DeviceId | undefined, field: string): Promise<void> {
  if (device === undefined) return
  const query = db
    .selectFrom('acp_devices')
    .select('id')
    .where('id', '=', device)
    .where('user_id', '=', user)
    .where('is_active', '=', 1)
  if (!(await query.executeTakeFirst())) throw malformed(field, 'you have no such device')
}
