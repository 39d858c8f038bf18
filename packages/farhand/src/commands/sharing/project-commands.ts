import type { Hub } from '@farhand/client/requests/hub'
import {
  acceptInvitation,
  invite,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
} from '@farhand/client/resources/sharing'
import { projectNamed } from '@farhand/device/find-run/project-named'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { Project } from '@farhand/protocol/schemas/api'
import { GivenRole, invitationIn } from '@farhand/protocol/schemas/sharing'
import type { CommandContext } from '../../context/command-context.ts'
import { shownText } from '../../terminal/printing/shown-text.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { numberIn } from './number-in.ts'
import { withHub } from './with-hub.ts'

type Flags = ReachFlags & Readonly<Partial<Record<'role' | 'days' | 'uses' | 'revoke', unknown>>>

/** `farhand project share`: makes an invitation. */
export const inviteCommand = (named: string, flags: Flags, context: CommandContext) =>
  withProject(named, flags, context, async (hub, project) => {
    const role = GivenRole.parse(flags.role)
    const [days, uses] = [numberIn('--days', flags.days, 90), numberIn('--uses', flags.uses, 100)]
    const asked = { role, ...(days && { days }), ...(uses && { uses }) }
    const made = await invite(hub, project.id, asked, { signal: context.stop, patienceMs })
    if (flags.json)
      return context.out(`${JSON.stringify({ event: 'invited', project: project.id, ...made })}\n`)
    const who = made.usesLeft === 1 ? `One user` : `${made.usesLeft} users`
    context.note(
      `${who} of this hub can join ${shownText(project.name)} as ${role} until ${made.expiresAt.slice(0, 10)}, with this link:\n`,
    )
    context.out(`${made.link}\n`)
    context.note('It is not shown again.\n')
  })

/** `farhand project invitations`: lists those that still work, or revokes one. */
export const invitationsCommand = (named: string, flags: Flags, context: CommandContext) =>
  withProject(named, flags, context, async (hub, project) => {
    const options = { signal: context.stop, patienceMs }
    if (flags.revoke !== undefined) {
      const id = String(flags.revoke)
      await revokeInvitation(hub, project.id, encodeURIComponent(id), options)
      if (flags.json) return context.out(`${JSON.stringify({ event: 'revoked', id })}\n`)
      return context.note('The invitation is revoked. Users who joined with it stay.\n')
    }
    const invitations = await listInvitations(hub, project.id, options)
    if (flags.json) return context.out(invitations.map((one) => `${JSON.stringify(one)}\n`).join(''))
    if (invitations.length === 0) return context.note('No invitation to this project is open.\n')
    for (const { id, role, usesLeft, expiresAt } of invitations)
      context.out(`${id}  ${role.padEnd(6)}  for ${usesLeft}  until ${expiresAt.slice(0, 10)}\n`)
  })

/** `farhand project members`: lists the users of a project. */
export const membersCommand = (named: string, flags: Flags, context: CommandContext) =>
  withProject(named, flags, context, async (hub, project) => {
    const members = await listMembers(hub, project.id, { signal: context.stop, patienceMs })
    if (flags.json) return context.out(members.map((one) => `${JSON.stringify(one)}\n`).join(''))
    const width = Math.max(...members.map(({ name }) => name.length))
    for (const { name, role, since, isYou } of members)
      context.out(
        `${shownText(name).padEnd(width)}  ${role.padEnd(6)}  since ${since.slice(0, 10)}${isYou ? '  you' : ''}\n`,
      )
  })

/** `farhand project remove`: removes a user, named by name or id. */
export const removeCommand = (named: string, user: string, flags: Flags, context: CommandContext) =>
  withProject(named, flags, context, async (hub, project) => {
    const options = { signal: context.stop, patienceMs }
    const members = await listMembers(hub, project.id, options)
    const found = members.find((one) => one.user === user || one.name === user)
    if (!found)
      throw new Trouble(
        'usage',
        `${project.name} has no user ${user}.`,
        `\`${context.called.farhand} project members ${project.id}\` lists them.`,
      )
    await removeMember(hub, project.id, found.user, options)
    if (flags.json)
      return context.out(
        `${JSON.stringify({ event: 'removed', project: project.id, user: found.user, name: found.name })}\n`,
      )
    context.note(
      `${found.isYou ? 'You are' : `${shownText(found.name)} is`} no longer in ${shownText(project.name)}. Runs that were started there stay.\n`,
    )
  })

/** `farhand project join`: joins the project of an invitation. */
export const joinCommand = (link: string, flags: Flags, context: CommandContext) => {
  const token = invitationIn(link)
  const url = /^https?:\/\/.*(?=#join=)/.exec(link.trim())?.[0]
  const to = url === undefined || flags.hub !== undefined ? flags : { ...flags, hub: url.replace(/\/+$/, '') }
  return withHub(to, context, async (hub) => {
    if (token === null)
      throw new Trouble('usage', 'This is no invitation.', 'Its link ends with #join=fhi_ and letters.')
    const project = await acceptInvitation(hub, token, { signal: context.stop, patienceMs })
    if (flags.json) return context.out(`${JSON.stringify({ event: 'joined', ...project })}\n`)
    context.note(
      `You are in ${shownText(project.name)} now, as ${project.role ?? 'member'}. \`${context.called.farhand} ls\` lists its runs.\n`,
    )
  })
}

const withProject = (
  named: string,
  flags: Flags,
  context: CommandContext,
  act: (hub: Hub, project: Project) => Promise<void>,
) =>
  withHub(flags, context, async (hub) => {
    const project = await projectNamed(hub, named, context.stop)
    if (!project)
      throw new Trouble(
        'usage',
        `There is no project ${named}.`,
        `\`${context.called.farhand} ls\` shows the projects of your runs.`,
      )
    await act(hub, project)
  })
