import { NewRequest } from '@farhand/protocol/schemas/requests'
import { limits } from '@farhand/protocol/wire/limits'
import { deviceOf } from '../../access/device-of.ts'
import { acceptRequest as accept, askRequest } from '../../collab/new-request.ts'
import { asRequest, listRequests } from '../../collab/request-rows.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { readKey } from '../sync-body/read-notifications.ts'

/** `POST /api/requests`: routes a message (W103). */
export async function postRequest({ collab, config }: HubParts, { req, res, who }: Exchange): Promise<void> {
  const { user } = userOf(who)
  const body = parse(NewRequest, await readJson(req, config.bodyTimeoutMs))
  answerJson(res, 201, await askRequest(collab, { user, device: deviceOf(who!) }, body, readKey(req)))
}

export async function getRequests({ db, collab }: HubParts, { res, query, who }: Exchange): Promise<void> {
  const { user } = userOf(who)
  const page = await listRequests(db, user, {
    cursor: query.get('cursor') ?? undefined,
    limit: limits.pageSize,
  })
  answerJson(res, 200, { ...page, online: collab.presence.online(user) })
}

export async function getRequest({ collab }: HubParts, { res, params, who }: Exchange): Promise<void> {
  answerJson(res, 200, asRequest(await collab.requests.ofUser(userOf(who).user, params.request)))
}

/** `POST /api/requests/{request}/accept`: the user's yes to what an agent in a sandbox left over (W106). */
export async function acceptRequest({ collab }: HubParts, { res, params, who }: Exchange): Promise<void> {
  answerJson(res, 200, await accept(collab, userOf(who).user, params.request))
}

export async function cancelRequest({ collab }: HubParts, { res, params, who }: Exchange): Promise<void> {
  answerJson(res, 200, await collab.requests.cancel(userOf(who).user, params.request))
}
