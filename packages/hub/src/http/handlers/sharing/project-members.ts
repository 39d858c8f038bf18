import { MemberRole } from '@farhand/protocol/schemas/sharing'
import { Fault } from '@farhand/protocol/wire/faults'
import { type ProjectId, UserId } from '@farhand/protocol/wire/ids'
import { changeRole, listMembers, removeMember } from '../../../access/project-members.ts'
import { readJson } from '../../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../../exchange/exchange.ts'
import type { HubParts } from '../../hub-parts/hub-parts.ts'

/** `GET /api/projects/{project}/members` (W111). */
export async function getProjectMembers(parts: HubParts, exchange: Exchange): Promise<void> {
  const { id } = await parts.directory.project(exchange)
  const items = await listMembers(parts.db, id, userOf(exchange.who).user)
  answerJson(exchange.res, 200, { items, next: null })
}

/** `PUT /api/projects/{project}/members/{user}` (W111). */
export async function putProjectMember(parts: HubParts, exchange: Exchange): Promise<void> {
  const { id } = await parts.directory.project(exchange)
  const { role } = parse(MemberRole, await readJson(exchange.req, parts.config.bodyTimeoutMs))
  const user = exchange.params.user ?? ''
  if (!(await changeRole(parts.db, id, user, role))) throw unknownMember()
  endRights(parts, id, user)
  answerJson(exchange.res, 200, { ok: true })
}

/** `DELETE /api/projects/{project}/members/{user}`: each user may leave, the owner may remove others (W111). */
export async function deleteProjectMember(parts: HubParts, exchange: Exchange): Promise<void> {
  const user = exchange.params.user ?? ''
  const isLeaving = user === userOf(exchange.who).user
  const { id, owner } = await parts.directory.project({ ...exchange, needs: isLeaving ? 'view' : 'own' })
  if (user === owner)
    throw new Fault('role.refused', 'the owner of a project stays in it; others can be removed')
  if (!(await removeMember(parts.db, id, user))) throw unknownMember()
  endRights(parts, id, user)
  answerJson(exchange.res, 200, { ok: true })
}

/** Open streams end, not only at the next request; who may still read connects again. */
function endRights(parts: HubParts, project: ProjectId, said: string): void {
  const user = UserId.parse(said)
  parts.directory.forgetRoles(project)
  parts.streams.endOf(user, project)
  parts.presence.roleChanged()
}

const unknownMember = () =>
  new Fault('member.unknown', 'no such user is a member of this project; GET .../members lists them')
