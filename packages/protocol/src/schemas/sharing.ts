import { z } from 'zod'
import { ProjectId, RunId, TaskId, UserId } from '../wire/ids.ts'
import { ProjectRole } from '../wire/project-role.ts'
import { pageOf, RunMode } from './api.ts'

const Time = z.iso.datetime()

/** The role that an owner may give to others: each project has one owner, who made it (W110). */
export const GivenRole = z.enum(['member', 'viewer'])
export type GivenRole = z.infer<typeof GivenRole>

/** A user of a project (W111). */
export const ProjectMember = z.object({
  user: UserId,
  name: z.string(),
  role: ProjectRole,
  since: Time,
  /** Whether it is the user who asks. */
  isYou: z.boolean(),
})
export type ProjectMember = z.infer<typeof ProjectMember>
export const ProjectMemberPage = pageOf(ProjectMember)

export const MemberRole = z.object({ role: GivenRole })
export type MemberRole = z.infer<typeof MemberRole>

const days = (most: number) => z.number().int().min(1).max(most)
/** How long an invitation or a shared link lasts if the request does not say. */
export const usualLinkDays = 7

export const NewInvitation = z.object({
  role: GivenRole,
  days: days(90).optional(),
  /** How many users may accept it; 1 if not given. */
  uses: z.number().int().min(1).max(100).optional(),
})
export type NewInvitation = z.infer<typeof NewInvitation>

/** An invitation to a project without its link, which the hub does not have (W112). */
export const Invitation = z.object({
  id: z.string(),
  role: GivenRole,
  usesLeft: z.number().int().nonnegative(),
  createdAt: Time,
  expiresAt: Time,
})
export type Invitation = z.infer<typeof Invitation>
export const InvitationPage = pageOf(Invitation)

/** The link of an invitation or a shared run is in this answer and never again (W112, W113). */
export const MadeInvitation = Invitation.extend({ token: z.string(), link: z.string() })
export type MadeInvitation = z.infer<typeof MadeInvitation>

export const InvitationToken = z.object({ token: z.string().min(1).max(200) })
export type InvitationToken = z.infer<typeof InvitationToken>

/** What an invitation offers, for the user who was given it. `yours`: the role that this user has in the project already. */
export const OfferedInvitation = z.object({
  projectName: z.string(),
  role: GivenRole,
  invitedBy: z.string(),
  expiresAt: Time,
  yours: ProjectRole.nullable(),
})
export type OfferedInvitation = z.infer<typeof OfferedInvitation>

export const NewRunLink = z.object({ days: days(90).optional() })
export type NewRunLink = z.infer<typeof NewRunLink>

/** A link that shows one run, without its text (W113). */
export const RunLink = z.object({
  id: z.string(),
  run: RunId,
  title: z.string(),
  createdAt: Time,
  expiresAt: Time,
  /** Right to an hour. */
  lastUsedAt: Time.nullable(),
})
export type RunLink = z.infer<typeof RunLink>
export const RunLinkPage = pageOf(RunLink)

export const MadeRunLink = RunLink.extend({ token: z.string(), link: z.string() })
export type MadeRunLink = z.infer<typeof MadeRunLink>

/** The run that a link shows, and until when (W114). */
export const SharedRun = z.object({
  id: RunId,
  project: ProjectId,
  task: TaskId,
  title: z.string(),
  agent: z.string().nullable(),
  mode: RunMode,
  sandbox: z.string().nullable(),
  createdAt: Time,
  expiresAt: Time,
})
export type SharedRun = z.infer<typeof SharedRun>

/** Who looks at a run now, and how many guests of links; the data of a `presence` message (W115). */
export const Presence = z.object({
  people: z.array(z.object({ user: UserId, name: z.string(), isTyping: z.boolean() })),
  guests: z.number().int().nonnegative(),
})
export type Presence = z.infer<typeof Presence>

/** The addresses for people: what follows the `#` reaches no server and no log on the way. */
const linkTo = (url: string, name: string, token: string) => `${url.replace(/\/+$/, '')}/#${name}=${token}`
export const invitationLink = (url: string, token: string): string => linkTo(url, 'join', token)
export const runLink = (url: string, token: string): string => linkTo(url, 'shared', token)

/** The token in the link of an invitation; null if there is none. Takes a bare token, too. */
export function invitationIn(text: string): string | null {
  return /(?:#join=|^)(fhi_[0-9A-Za-z]{1,100})$/.exec(text.trim())?.[1] ?? null
}
