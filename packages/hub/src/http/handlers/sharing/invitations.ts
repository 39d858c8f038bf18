import {
  InvitationToken,
  invitationLink,
  NewInvitation,
  usualLinkDays,
} from '@farhand/protocol/schemas/sharing'
import { Fault } from '@farhand/protocol/wire/faults'
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  offerOf,
  revokeInvitation,
} from '../../../access/invitations.ts'
import { readJson } from '../../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../../exchange/exchange.ts'
import type { HubParts } from '../../hub-parts/hub-parts.ts'
import { urlOfHub } from './url-of-hub.ts'

/** `POST /api/projects/{project}/invitations` (W112). */
export async function postInvitation(parts: HubParts, exchange: Exchange): Promise<void> {
  const { id } = await parts.directory.project(exchange)
  const said = parse(NewInvitation, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  const { role, days = usualLinkDays, uses = 1 } = said
  const by = userOf(exchange.who).user
  const made = await createInvitation(parts.db, id, { role, days, uses, by }, new Date())
  answerJson(exchange.res, 201, { ...made, link: invitationLink(urlOfHub(parts, exchange), made.token) })
}

/** `GET /api/projects/{project}/invitations` (W112). */
export async function getInvitations(parts: HubParts, exchange: Exchange): Promise<void> {
  const { id } = await parts.directory.project(exchange)
  answerJson(exchange.res, 200, { items: await listInvitations(parts.db, id, new Date()), next: null })
}

/** `DELETE /api/projects/{project}/invitations/{invitation}` (W112). */
export async function deleteInvitation(parts: HubParts, exchange: Exchange): Promise<void> {
  const { id } = await parts.directory.project(exchange)
  if (!(await revokeInvitation(parts.db, id, exchange.params.invitation ?? '')))
    throw new Fault('invitation.unknown', 'this project has no such invitation; it may be used up or revoked')
  answerJson(exchange.res, 200, { ok: true })
}

/** `POST /api/invitations/offer`: what the user would join (W112). */
export async function postInvitationOffer(parts: HubParts, exchange: Exchange): Promise<void> {
  const { user, token } = await said(parts, exchange)
  const offer = await offerOf(parts.db, token, user, new Date())
  if (!offer) throw unknown(parts, user)
  answerJson(exchange.res, 200, offer)
}

/** `POST /api/invitations/accept` (W112). */
export async function postInvitationAccept(parts: HubParts, exchange: Exchange): Promise<void> {
  const { user, token } = await said(parts, exchange)
  const project = await acceptInvitation(parts.db, token, user, new Date())
  if (!project) throw unknown(parts, user)
  parts.directory.forgetRoles(project)
  // Their open lists begin again, with the runs of the project.
  parts.streams.endOf(user, project)
  const joined = { who: exchange.who, params: { project }, needs: 'view' } as const
  answerJson(exchange.res, 200, await parts.directory.project(joined))
}

async function said(parts: HubParts, { req, who }: Exchange) {
  const { user } = userOf(who)
  if (parts.failedCodes.isTooMany(user, performance.now()))
    throw new Fault('code.too-often', 'you have tried too many invitations; try again in a minute')
  const { token } = parse(InvitationToken, await readJson(req, parts.config.bodyTimeoutMs))
  return { user, token }
}

function unknown({ failedCodes }: HubParts, user: string): Fault {
  failedCodes.note(user, performance.now())
  return new Fault(
    'invitation.unknown',
    'this invitation is used up, expired, revoked or incomplete; ask the owner of the project for a new one',
  )
}
