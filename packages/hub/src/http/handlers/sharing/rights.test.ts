import { type Endpoint, rightOf } from '@farhand/protocol/endpoints/endpoint'
import { type EndpointName, endpoints } from '@farhand/protocol/endpoints/endpoints'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { message } from '../../hub-under-test.ts'
import { SharedHub } from './shared-hub-under-test.ts'

const all = Object.entries<Endpoint>(endpoints) as [EndpointName, Endpoint][]
/** Those about a project, a task, a run or a link to one, that a user may call. */
const ofProjects = all.filter(
  ([, { path, who }]) => who.startsWith('user') && /\{(project|run|link)\}/.test(path),
)

async function everyRole() {
  const shared = await SharedHub.start()
  const { hub, at } = shared
  const [member, viewer] = [await shared.joined('mia', 'member'), await shared.joined('vik', 'viewer')]
  const stranger = await shared.person('sam')
  const link = await shared.link()
  const places: Record<string, string> = {
    ...{ ...at, user: member.user, link: link.id, name: 'KEY', hash: `sha256_${'0'.repeat(64)}` },
    invitation: (await shared.invitation({ role: 'viewer' })).id,
  }
  const ask = async ({ method, path }: Endpoint, token: string) => {
    const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? 'none')
    // An empty body is malformed everywhere: the caller's rights are looked at before.
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const headers = { Accept: 'application/json', 'Session-Id': at.run }
    const { status, body: said } = await hub.ask(method, place, { ...body, headers, token })
    const { error } = (typeof said === 'object' ? said : {}) as { error?: { code: string } }
    return { status, code: error?.code ?? '' }
  }
  return { shared, hub, at, member, viewer, stranger, link, ask }
}

describe('the rights of users in a shared project', () => {
  it('W110 a request that changes something is for members, and these are for the owner alone', () => {
    const named = (wanted: string) =>
      ofProjects.filter(([, endpoint]) => rightOf(endpoint) === wanted).map(([name]) => name)
    expect(named('own').sort()).toEqual([
      'deleteInvitation',
      'deleteRunLink',
      'deleteSecret',
      'getInvitations',
      'postInvitation',
      'postRunLink',
      'putProjectMember',
      'putSecret',
    ])
    const changing = ofProjects.filter(([, { method }]) => method !== 'GET')
    const forViewers = changing.filter(([, endpoint]) => rightOf(endpoint) === 'view').map(([name]) => name)
    // What a user sets for themselves, reads that need a body, and leaving.
    expect(forViewers.sort()).toEqual([
      'deleteProjectMember',
      'postBlobs',
      'postFileUrls',
      'putRunArchived',
      'putRunLooking',
      'putRunMuted',
      'putRunSeen',
    ])
  })

  it('W110 no endpoint lets a viewer change anything, or a member administer', async () => {
    const { ask, member, viewer } = await everyRole()
    for (const [name, endpoint] of ofProjects) {
      const needs = rightOf(endpoint)
      const { code: toViewer } = await ask(endpoint, viewer.token)
      // Removing another user is refused by the handler, as leaving is not.
      const isRefused = needs !== 'view' || name === 'deleteProjectMember'
      expect(toViewer === 'role.refused', `viewer: ${name} ${toViewer}`).toBe(isRefused)
      if (needs !== 'own') continue
      const { code: toMember } = await ask(endpoint, member.token)
      expect(toMember, `member: ${name}`).toBe('role.refused')
    }
  })

  it('W110 for a stranger nothing of the project exists, at any endpoint', async () => {
    const { ask, stranger } = await everyRole()
    for (const [name, endpoint] of ofProjects) {
      const { status, code } = await ask(endpoint, stranger.token)
      expect([status, code.endsWith('.unknown')], `${name}: ${code}`).toEqual([404, true])
    }
  })

  it('W110 a member may do all that the table says is work, the owner all', async () => {
    const { ask, member, hub } = await everyRole()
    const refused: string[] = []
    const removing: string[] = ['deleteProjectMember', 'deleteRunLink', 'deleteInvitation']
    for (const [name, endpoint] of ofProjects) {
      if (removing.includes(name)) continue
      const needs = rightOf(endpoint)
      if (needs === 'work' && (await ask(endpoint, member.token)).code === 'role.refused') refused.push(name)
      if ((await ask(endpoint, hub.token)).code === 'role.refused') refused.push(`owner ${name}`)
    }
    expect(refused).toEqual([])
  })

  it('W114 the link of a run opens only what the table says is for guests, and only its own run', async () => {
    const { ask, link, hub, at } = await everyRole()
    const other = await hub.run()
    for (const [name, endpoint] of all) {
      if (['anyone', 'address', 'near-or-user'].includes(endpoint.who) || endpoint.who === 'guest') continue
      const { status, code } = await ask(endpoint, link.token)
      if (endpoint.guests) expect(code, name).not.toBe('role.refused')
      else expect([status, code], name).toEqual([403, 'role.refused'])
    }
    const forGuests = all.filter(([, { guests }]) => guests).map(([name]) => name)
    expect(forGuests.sort()).toEqual(['getLog', 'getRunFile', 'getStatus', 'getSync', 'postBlobs'])
    for (const path of [paths.status(other), paths.log(other), paths.sync(other)])
      expect((await hub.ask('GET', path, { token: link.token })).status, path).toBe(404)
    expect((await hub.post(at, message('hello'), { token: link.token })).status).toBe(403)
  })
})
