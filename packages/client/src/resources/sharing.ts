import { Ok, Project } from '@farhand/protocol/schemas/api'
import {
  type GivenRole,
  type Invitation,
  InvitationPage,
  MadeInvitation,
  MadeRunLink,
  type NewInvitation,
  OfferedInvitation,
  type ProjectMember,
  ProjectMemberPage,
  type RunLink,
  RunLinkPage,
  SharedRun,
} from '@farhand/protocol/schemas/sharing'
import type { ProjectId, RunId, UserId } from '@farhand/protocol/wire/ids'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { type CallOptions, call, callOnce } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'

/** The users of a project, its owner first. */
export async function listMembers(
  hub: Hub,
  project: ProjectId,
  options?: CallOptions,
): Promise<ProjectMember[]> {
  return (await call(hub, { path: paths.projectMembers(project) }, ProjectMemberPage, options)).items
}

/** Gives a user of a project another role; only its owner may. */
export async function changeMember(
  hub: Hub,
  project: ProjectId,
  user: UserId,
  role: GivenRole,
  options?: CallOptions,
): Promise<void> {
  await call(hub, jsonRequest('PUT', paths.projectMember(project, user), { role }), Ok, options)
}

/** Removes a user from a project; without being its owner only oneself. If it is repeated, the hub knows no such member. */
export async function removeMember(
  hub: Hub,
  project: ProjectId,
  user: UserId,
  options?: CallOptions,
): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.projectMember(project, user) }, Ok, options)
}

/** Makes an invitation. It is tried once, as a second one would stay behind unseen; its link is in this answer alone. */
export function invite(
  hub: Hub,
  project: ProjectId,
  asked: NewInvitation,
  options: CallOptions = {},
): Promise<MadeInvitation> {
  return callOnce(hub, jsonRequest('POST', paths.invitations(project), asked), MadeInvitation, options)
}

/** The invitations to a project that still work. */
export async function listInvitations(
  hub: Hub,
  project: ProjectId,
  options?: CallOptions,
): Promise<Invitation[]> {
  return (await call(hub, { path: paths.invitations(project) }, InvitationPage, options)).items
}

export async function revokeInvitation(
  hub: Hub,
  project: ProjectId,
  id: string,
  options?: CallOptions,
): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.invitation(project, id) }, Ok, options)
}

/** What an invitation offers. */
export const offeredInvitation = (hub: Hub, token: string, options?: CallOptions) =>
  call(hub, jsonRequest('POST', paths.invitationOffer(), { token }), OfferedInvitation, options)

/** Joins a project. Repeating it is harmless: who is a member uses nothing up. */
export const acceptInvitation = (hub: Hub, token: string, options?: CallOptions) =>
  call(hub, jsonRequest('POST', paths.invitationAccept(), { token }), Project, options)

/** Makes a link that shows a run for some days. It is tried once; its text is in this answer alone. */
export function shareRun(
  hub: Hub,
  at: RunAddress,
  asked: { days?: number } = {},
  options: CallOptions = {},
): Promise<MadeRunLink> {
  return callOnce(hub, jsonRequest('POST', paths.runLinks(at), asked), MadeRunLink, options)
}

/** The links that still work, of one run or of all runs in the user's own projects. */
export async function listRunLinks(hub: Hub, run?: RunId, options?: CallOptions): Promise<RunLink[]> {
  return (await call(hub, { path: paths.allRunLinks(), query: { run } }, RunLinkPage, options)).items
}

/** Revokes a link: its open streams end at once. If it is repeated, the hub knows no such link. */
export async function revokeRunLink(hub: Hub, id: string, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.runLink(id) }, Ok, options)
}

/** The run that a link shows, for a hub with the token of that link. */
export const sharedRun = (hub: Hub, options?: CallOptions) =>
  call(hub, { path: paths.sharedRun() }, SharedRun, options)
