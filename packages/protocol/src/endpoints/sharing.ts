import { z } from 'zod'
import { Ok, Project } from '../schemas/api.ts'
import {
  InvitationPage,
  InvitationToken,
  MadeInvitation,
  MadeRunLink,
  MemberRole,
  NewInvitation,
  NewRunLink,
  OfferedInvitation,
  ProjectMemberPage,
  RunLinkPage,
  SharedRun,
} from '../schemas/sharing.ts'
import type { FaultCode } from '../wire/faults.ts'
import { RunId, type UserId } from '../wire/ids.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { type Endpoint, json, template } from './endpoint.ts'

const body: FaultCode[] = ['request.too-large', 'request.unsupported-type']
const inProject: FaultCode[] = ['project.unknown', 'role.refused']
const member = template((at: RunAddress) => paths.projectMember(at.project, '{user}' as UserId))
const invitation = template((at: RunAddress) => paths.invitation(at.project, '{invitation}'))

/** Who else has a part in a project, and what others may see of it (W110 to W114). */
export const sharing = {
  getProjectMembers: {
    method: 'GET',
    path: template((at: RunAddress) => paths.projectMembers(at.project)),
    summary: 'List the users of a project (W111)',
    who: 'user',
    answers: { 200: { says: 'All of them, on one page', bodies: json(ProjectMemberPage) } },
    faults: ['project.unknown'],
  },
  putProjectMember: {
    method: 'PUT',
    path: member,
    summary: 'Give a user of a project another role (W111)',
    who: 'user',
    needs: 'own',
    body: json(MemberRole),
    answers: { 200: { says: 'Given', bodies: json(Ok) } },
    faults: [...body, ...inProject, 'member.unknown'],
  },
  deleteProjectMember: {
    method: 'DELETE',
    path: member,
    summary: 'Remove a user from a project, or leave it: their open streams end at once (W111)',
    who: 'user',
    // Each user may leave; to remove others is for the owner, which is checked when it is known who is meant.
    needs: 'view',
    answers: { 200: { says: 'Removed', bodies: json(Ok) } },
    faults: [...inProject, 'member.unknown'],
  },
  getInvitations: {
    method: 'GET',
    path: template((at: RunAddress) => paths.invitations(at.project)),
    summary: 'List the invitations to a project that still work, without their links (W112)',
    who: 'user',
    needs: 'own',
    answers: { 200: { says: 'All of them, on one page', bodies: json(InvitationPage) } },
    faults: inProject,
  },
  postInvitation: {
    method: 'POST',
    path: template((at: RunAddress) => paths.invitations(at.project)),
    summary: 'Make a link with which others join a project (W112)',
    who: 'user',
    needs: 'own',
    body: json(NewInvitation),
    answers: { 201: { says: 'The link, shown once', bodies: json(MadeInvitation) } },
    faults: [...body, ...inProject, 'link.too-many'],
  },
  deleteInvitation: {
    method: 'DELETE',
    path: invitation,
    summary: 'Revoke an invitation (W112)',
    who: 'user',
    needs: 'own',
    answers: { 200: { says: 'Revoked', bodies: json(Ok) } },
    faults: [...inProject, 'invitation.unknown'],
  },
  postInvitationOffer: {
    method: 'POST',
    path: paths.invitationOffer(),
    summary: 'What an invitation offers (W112)',
    who: 'user',
    body: json(InvitationToken),
    answers: { 200: { says: 'The project and the role', bodies: json(OfferedInvitation) } },
    faults: [...body, 'invitation.unknown', 'code.too-often'],
  },
  postInvitationAccept: {
    method: 'POST',
    path: paths.invitationAccept(),
    summary: 'Join a project with an invitation (W112)',
    who: 'user',
    body: json(InvitationToken),
    answers: { 200: { says: 'The project', bodies: json(Project) } },
    faults: [...body, 'invitation.unknown', 'code.too-often'],
  },
  postRunLink: {
    method: 'POST',
    path: template(paths.runLinks),
    summary: 'Make a link that shows this run, read only, for a while (W113)',
    who: 'user',
    needs: 'own',
    body: json(NewRunLink),
    answers: { 201: { says: 'The link, shown once', bodies: json(MadeRunLink) } },
    faults: [...body, 'run.unknown', 'role.refused', 'link.too-many'],
  },
  getRunLinks: {
    method: 'GET',
    path: paths.allRunLinks(),
    summary: 'List the links that show runs of your projects, those that still work (W113)',
    who: 'user',
    query: z.object({ run: RunId.optional().describe('Only links that show this run.') }),
    answers: { 200: { says: 'All of them, on one page', bodies: json(RunLinkPage) } },
  },
  deleteRunLink: {
    method: 'DELETE',
    path: paths.runLink('{link}'),
    summary: 'Revoke a link that shows a run: streams that were opened with it end at once (W113)',
    who: 'user',
    needs: 'own',
    answers: { 200: { says: 'Revoked', bodies: json(Ok) } },
    faults: ['link.unknown', 'role.refused'],
  },
  getSharedRun: {
    method: 'GET',
    path: paths.sharedRun(),
    summary: 'The run that the link of this token shows (W114)',
    who: 'guest',
    answers: { 200: { says: 'The run, and until when it is shown', bodies: json(SharedRun) } },
    faults: ['run.unknown', 'role.refused'],
  },
} as const satisfies Record<string, Endpoint>
