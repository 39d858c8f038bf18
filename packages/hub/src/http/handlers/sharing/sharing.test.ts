import type { ListedRun, Project } from '@farhand/protocol/schemas/api'
import type { OfferedInvitation, ProjectMember } from '@farhand/protocol/schemas/sharing'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { message, notification, ReadStream } from '../../hub-under-test.ts'
import { type Person, SharedHub } from './shared-hub-under-test.ts'

const codeOf = ({ body }: { body: unknown }) => (body as { error?: { code: string } }).error?.code
const listed = async ({ hub }: SharedHub, { token }: Pick<Person, 'token'>, query = '') =>
  ((await hub.ask('GET', `/api/runs${query}`, { token })).body.items as ListedRun[]) ?? []

describe('a shared project', () => {
  it('W110 is in the lists of its users, with their role; a stranger has neither project nor runs', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const [member, stranger] = [await shared.joined('mia', 'member'), await shared.person('sam')]
    const projects = async (token: string) =>
      (await hub.ask('GET', paths.projects(), { token })).body.items as Project[]
    expect(await projects(member.token)).toMatchObject([{ id: at.project, role: 'member' }])
    expect(await projects(hub.token)).toMatchObject([{ id: at.project, role: 'owner' }])
    expect(await projects(stranger.token)).toEqual([])
    expect(await listed(shared, member)).toMatchObject([{ id: at.run, role: 'member' }])
    expect(await listed(shared, stranger)).toEqual([])
    const own = await hub.ask('POST', paths.projects(), { body: { name: 'own' }, token: member.token })
    expect((await projects(member.token)).map(({ id }) => id)).toEqual([own.body.id, at.project])
  })

  it('W110 a run that a member starts is listed for all its users, page by page, and counts for the member', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const member = await shared.joined('mia', 'member')
    const made = [at.run as string]
    for (let n = 0; n < 52; n++) {
      const token = n % 2 === 0 ? member.token : hub.token
      const run = await hub.ask('POST', paths.runs(at.project, at.task), { body: { sandbox: 'none' }, token })
      made.push(run.body.id)
    }
    for (const person of [member, hub]) {
      const first = await hub.ask('GET', '/api/runs', { token: person.token })
      const rest = await hub.ask('GET', `/api/runs?cursor=${(first.body as { next?: string }).next}`, {
        token: person.token,
      })
      const ids = [...(first.body.items as ListedRun[]), ...(rest.body.items as ListedRun[])].map((r) => r.id)
      // Several may be created in one millisecond: all are there, each once.
      expect([...ids].sort()).toEqual([...made].sort())
      expect(new Set(ids).size).toBe(made.length)
    }
  })

  it('W110 a member works in it: writes, answers and closes; a viewer reads the same log', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const [member, viewer] = [await shared.joined('mia', 'member'), await shared.joined('vik', 'viewer')]
    const { token: runner } = await hub.runner(at)
    const asked = { questionId: 'qst_00000001', question: 'Which?', kind: 'question' }
    await hub.post(at, notification('_posthog/agent_question', asked), { token: runner })
    const answer = notification('_posthog/user_response', { questionId: asked.questionId, answer: 'this' })
    expect(codeOf(await hub.post(at, answer, { token: viewer.token }))).toBe('role.refused')
    expect((await hub.post(at, answer, { token: member.token })).status).toBe(202)
    expect((await hub.post(at, message('go on'), { token: member.token })).status).toBe(202)
    const stream = await hub.stream(at, '', {}, viewer.token)
    const seen = await stream.until(({ event }) => event === 'live')
    expect(seen.map(({ data }) => data).join()).toContain('go on')
    expect((await hub.ask('DELETE', paths.sync(at), { token: viewer.token })).status).toBe(403)
    expect((await hub.ask('DELETE', paths.sync(at), { token: member.token })).status).toBe(202)
  })

  it('W90 W110 a viewer has no schedule start runs in it, a stranger learns nothing of it', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const [member, viewer] = [await shared.joined('mia', 'member'), await shared.joined('vik', 'viewer')]
    const timing = { kind: 'every', seconds: 3600 }
    const body = { name: 'hourly', project: at.project, timing, run: { prompt: 'look' } }
    const make = (token: string) => hub.ask('POST', paths.schedules(), { body, token })
    expect(codeOf(await make(viewer.token))).toBe('role.refused')
    expect(codeOf(await make((await shared.person('sam')).token))).toBe('project.unknown')
    expect((await make(member.token)).status).toBe(201)
  })

  it('W24 W110 a viewer gets no address to write a blob to', async () => {
    const shared = await SharedHub.start()
    const viewer = await shared.joined('vik', 'viewer')
    const body = { hashes: [`sha256_${'a'.repeat(64)}`] }
    const urls = async (token: string) =>
      (await shared.hub.ask('POST', paths.fileUrls(shared.at), { body, token })).body as unknown
    expect(await urls(viewer.token)).toEqual({ urls: {}, missing: {} })
    expect(Object.keys((await urls(shared.hub.token)) as object)).toEqual(['urls', 'missing'])
    expect(JSON.stringify(await urls(shared.hub.token))).toContain('deed=put')
  })

  it('W41 W110 the values of its secrets go nowhere; members see their names, viewers not even these', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const [member, viewer] = [await shared.joined('mia', 'member'), await shared.joined('vik', 'viewer')]
    await hub.ask('PUT', paths.secret(at.project, 'KEY'), { body: { value: 'hidden-value' } })
    const list = (token: string) => hub.ask('GET', paths.secrets(at.project), { token })
    const toMember = await list(member.token)
    expect(toMember.body.items).toMatchObject([{ name: 'KEY' }])
    expect(JSON.stringify(toMember.body)).not.toContain('hidden-value')
    expect(codeOf(await list(viewer.token))).toBe('role.refused')
    const terms = { secrets: ['KEY'] }
    const body = { sandbox: 'none', terms }
    const started = await hub.ask('POST', paths.runs(at.project, at.task), { body, token: member.token })
    expect(started.status).toBe(201)
  })

  it('W48 W49 W56 W110 what a user has read, muted or archived is their own', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    await hub.post(at, message('one'))
    const viewer = await shared.joined('vik', 'viewer')
    const [before] = await listed(shared, viewer)
    expect(before?.seen).toMatchObject({ event: 0 })
    const put = (path: string, body: object) => hub.ask('PUT', path, { body, token: viewer.token })
    await put(paths.runSeen(at.run), { event: 1, activeAt: null })
    await put(paths.runMuted(at.run), { isMuted: true })
    await put(paths.runArchived(at.run), { isArchived: true })
    expect(await listed(shared, viewer)).toMatchObject([
      { isMuted: true, isArchived: true, seen: { event: 1 } },
    ])
    expect(await listed(shared, hub)).toMatchObject([{ isMuted: false, isArchived: false, seen: null }])
    expect(await listed(shared, viewer, '?archived=false')).toEqual([])
    expect(await listed(shared, hub, '?archived=false')).toHaveLength(1)
    // An older report does not take a newer one back.
    await put(paths.runSeen(at.run), { event: 0, activeAt: null })
    expect(await listed(shared, viewer)).toMatchObject([{ seen: { event: 1 } }])
    expect((await put(paths.runTitle(at.run), { title: 'mine' })).status).toBe(403)
  })

  it('W48 W110 its users hear of changes in its runs, each as the run is listed for them', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const viewer = await shared.joined('vik', 'viewer')
    await hub.ask('PUT', paths.runMuted(at.run), { body: { isMuted: true }, token: viewer.token })
    const stream = await openChanges(shared, viewer)
    await stream.until(({ event }) => event === 'live')
    await hub.ask('PUT', paths.runTitle(at.run), { body: { title: 'Another title' } })
    const heard = await stream.until(({ event }) => event === 'run')
    expect(JSON.parse(heard.at(-1)!.data!)).toMatchObject({
      ...{ id: at.run, title: 'Another title', isMuted: true, role: 'viewer' },
    })
  })

  it('W111 removing a user ends their open streams at once, and the project does not exist for them any more', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const member = await shared.joined('mia', 'member')
    const [log, changes] = [await hub.stream(at, '', {}, member.token), await openChanges(shared, member)]
    await log.until(({ event }) => event === 'live')
    await changes.until(({ event }) => event === 'live')
    const started = await hub.ask('POST', paths.runs(at.project, at.task), {
      body: { sandbox: 'none' },
      token: member.token,
    })
    expect((await shared.remove(member)).status).toBe(200)
    expect(await log.next()).toBeNull()
    for (let seen = await changes.next(); seen; seen = await changes.next()) expect(seen.event).toBe('run')
    expect((await hub.post(at, message('still here'), { token: member.token })).status).toBe(404)
    expect((await hub.ask('GET', paths.log(at), { token: member.token })).status).toBe(404)
    // Not even the runs that they started themselves.
    expect(await listed(shared, member)).toEqual([])
    expect((await hub.ask('GET', paths.anyRun(started.body.id), { token: member.token })).status).toBe(404)
    expect((await listed(shared, hub)).map(({ id }) => id)).toContain(started.body.id)
  })

  it('W111 lists its users; each may leave, the owner may not, and a role can be changed', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const [member, viewer] = [await shared.joined('mia', 'member'), await shared.joined('vik', 'viewer')]
    const members = async (token = hub.token) =>
      (await hub.ask('GET', paths.projectMembers(at.project), { token })).body.items as ProjectMember[]
    expect(await members(viewer.token)).toMatchObject([
      { name: 'owner', role: 'owner', isYou: false },
      { name: 'mia', role: 'member', isYou: false },
      { name: 'vik', role: 'viewer', isYou: true },
    ])
    expect((await shared.remove(viewer, member.token)).status).toBe(403)
    const [{ user: owner } = member] = await members()
    expect(codeOf(await shared.remove({ user: owner, token: '' }))).toBe('role.refused')
    const change = { body: { role: 'viewer' } }
    await hub.ask('PUT', paths.projectMember(at.project, member.user), change)
    expect((await hub.post(at, message('hi'), { token: member.token })).status).toBe(403)
    expect((await shared.remove(viewer, viewer.token)).status).toBe(200)
    expect(codeOf(await shared.remove(viewer))).toBe('member.unknown')
    expect((await members()).map(({ name }) => name)).toEqual(['owner', 'mia'])
  })
})

describe('an invitation', () => {
  it('W112 is shown once, says what it offers, and works as often as it says', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const made = await shared.invitation({ role: 'viewer', uses: 2 })
    expect(made.link).toBe(`${hub.hub.url.replace(/\/$/, '')}/#join=${made.token}`)
    const [one, two, three] = [
      await shared.person('one'),
      await shared.person('two'),
      await shared.person('three'),
    ]
    const offer = await hub.ask('POST', paths.invitationOffer(), {
      body: { token: made.token },
      token: one.token,
    })
    expect(offer.body as unknown as OfferedInvitation).toMatchObject({
      ...{ projectName: 'p', role: 'viewer', invitedBy: 'owner', yours: null },
    })
    expect((await shared.accept(made.token, one)).body).toMatchObject({ id: at.project, role: 'viewer' })
    // The same user again uses nothing up.
    expect((await shared.accept(made.token, one)).status).toBe(200)
    expect((await shared.accept(made.token, two)).status).toBe(200)
    expect(codeOf(await shared.accept(made.token, three))).toBe('invitation.unknown')
    const list = await hub.ask('GET', paths.invitations(at.project))
    expect(list.body.items).toEqual([])
    const again = await shared.invitation({ role: 'member' })
    const text = JSON.stringify((await hub.ask('GET', paths.invitations(at.project))).body)
    expect(text).toContain(again.id)
    expect(text).not.toContain(again.token)
  })

  it('W112 of two users who accept the last use at once, one joins', async () => {
    const shared = await SharedHub.start()
    const { token } = await shared.invitation({ role: 'member' })
    const people = [await shared.person('one'), await shared.person('two'), await shared.person('three')]
    const answers = await Promise.all(people.map((person) => shared.accept(token, person)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
  })

  it('W112 raises a viewer to a member, and never lowers a member or the owner', async () => {
    const shared = await SharedHub.start()
    const { hub } = shared
    const viewer = await shared.joined('vik', 'viewer')
    const member = await shared.joined('mia', 'member')
    const roleOf = async (person: Pick<Person, 'token'>) => (await listed(shared, person))[0]?.role
    const up = await shared.invitation({ role: 'member' })
    await shared.accept(up.token, viewer)
    expect(await roleOf(viewer)).toBe('member')
    const down = await shared.invitation({ role: 'viewer' })
    await shared.accept(down.token, member)
    await shared.accept(down.token, { token: hub.token } as Person)
    expect([await roleOf(member), await roleOf(hub)]).toEqual(['member', 'owner'])
  })

  it('W112 that is revoked or guessed is unknown, and a user who guesses has to wait', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const stranger = await shared.person('sam')
    const made = await shared.invitation({ role: 'member' })
    expect((await hub.ask('DELETE', paths.invitation(at.project, made.id))).status).toBe(200)
    expect(codeOf(await shared.accept(made.token, stranger))).toBe('invitation.unknown')
    const codes = new Set<string | undefined>()
    for (let n = 0; n < 30; n++) codes.add(codeOf(await shared.accept(`fhi_${n}`, stranger)))
    expect(codes).toEqual(new Set(['invitation.unknown', 'code.too-often']))
    // The wait is that of the user who guessed.
    expect(
      (await shared.accept((await shared.invitation({ role: 'viewer' })).token, await shared.person('two')))
        .status,
    ).toBe(200)
  })

  it('W112 is of the project that it was made for: another owner can neither see nor revoke it', async () => {
    const shared = await SharedHub.start()
    const { hub } = shared
    const made = await shared.invitation({ role: 'member' })
    const other = await shared.person('eve')
    const own = await hub.ask('POST', paths.projects(), { body: { name: 'own' }, token: other.token })
    const revoked = await hub.ask('DELETE', paths.invitation(own.body.id, made.id), { token: other.token })
    expect(codeOf(revoked)).toBe('invitation.unknown')
    expect((await shared.accept(made.token, await shared.person('two'))).status).toBe(200)
  })
})

/** The stream of changes in the list of a user's runs. */
async function openChanges({ hub }: SharedHub, { token }: Person): Promise<ReadStream> {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const answer = await fetch(new URL(paths.runChanges(), hub.hub.url), {
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${token}` },
    signal: gone.signal,
  })
  return new ReadStream(answer, () => gone.abort())
}
