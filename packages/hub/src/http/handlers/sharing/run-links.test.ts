import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { RunLink, SharedRun } from '@farhand/protocol/schemas/sharing'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../../store/sqlite-store.ts'
import { message, notification } from '../../hub-under-test.ts'
import { type Person, SharedHub } from './shared-hub-under-test.ts'

const codeOf = ({ body }: { body: unknown }) => (body as { error?: { code: string } }).error?.code
const named = (text: string) => `sha256_${createHash('sha256').update(text).digest('hex')}`

/** Stores this text in the project and names it in the log of a run, in an event of this kind. */
async function file({ hub, at }: SharedHub, text: string, event: (hash: string) => object | null) {
  const hash = named(text)
  await fetch(new URL(paths.runFile(at, hash), hub.hub.url), {
    method: 'PUT',
    body: text,
    headers: { Authorization: `Bearer ${hub.token}`, 'Content-Type': 'application/octet-stream' },
  })
  const told = event(hash)
  if (told) {
    const answer = await hub.post(at, told, { token: (await hub.runner(at)).token })
    expect(answer.status).toBe(202)
  }
  return hash
}

describe('a link that shows a run', () => {
  it('W113 W114 shows this run: its title, its log from the start, and what happens then', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    await hub.post(at, message('before'))
    const made = await shared.link(at, { days: 3 })
    expect(made.link).toBe(`${hub.hub.url.replace(/\/$/, '')}/#shared=${made.token}`)
    expect(Math.round((Date.parse(made.expiresAt) - Date.now()) / 3600_000)).toBe(72)
    const shown = await hub.ask('GET', paths.sharedRun(), { token: made.token })
    expect(shown.body as unknown as SharedRun).toMatchObject({
      ...{ id: at.run, project: at.project, task: at.task, title: 't', expiresAt: made.expiresAt },
    })
    expect(Object.keys(shown.body)).not.toContain('terms')
    const stream = await hub.stream(at, '', {}, made.token)
    const past = await stream.until(({ event }) => event === 'live')
    expect(past.map(({ data }) => data).join()).toContain('before')
    await hub.post(at, message('after'))
    expect((await stream.next())?.data).toContain('after')
    expect((await hub.ask('GET', paths.status(at), { token: made.token })).status).toBe(200)
  })

  it('W114 opens no list, no other run of the project, no secret, no address to write to, and signs no browser in', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const { token } = await shared.link()
    const other = (await hub.ask('POST', paths.runs(at.project, at.task), { body: { sandbox: 'none' } })).body
      .id
    const get = async (path: string) => {
      const { status } = await hub.ask('GET', path, { token })
      return status
    }
    for (const path of [paths.projects(), paths.allRuns(), paths.anyRun(at.run), paths.run(at), paths.me()])
      expect([path, await get(path)]).toEqual([path, 403])
    expect(await get(paths.runs(at.project, at.task))).toBe(403)
    expect(await get(paths.secrets(at.project))).toBe(403)
    expect(await get(paths.log({ ...at, run: other }))).toBe(404)
    const hashes = { body: { hashes: [named('x')] }, token }
    expect((await hub.ask('POST', paths.fileUrls(at), hashes)).status).toBe(403)
    const hook = { type: 'register_callback', callbacks: [{ url: 'https://hooks.example/', events: ['*'] }] }
    expect((await hub.post(at, hook, { token })).status).toBe(403)
    const signedIn = await hub.ask('POST', paths.signIn(), { body: { token }, token: null })
    expect(codeOf(signedIn)).toBe('token.invalid')
    // A user asks for the run itself: there is no link to say which.
    expect(codeOf(await hub.ask('GET', paths.sharedRun()))).toBe('role.refused')
  })

  it('W114 gives the files that its log names, but no checkpoint, and nothing that only other runs name', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const changed = (hash: string) =>
      notification('_posthog/file_change', { path: 'a.txt', action: 'created', hash })
    const shown = await file(shared, 'shown', changed)
    const bundle = await file(shared, 'whole repository', (hash) =>
      notification('_posthog/git_commit', { sha: 'a'.repeat(40), kind: 'checkpoint', upTo: 1, bundle: hash }),
    )
    const elsewhere = await file(shared, 'elsewhere', () => null)
    const { token } = await shared.link()
    const status = async (hash: string) => (await hub.ask('GET', paths.runFile(at, hash), { token })).status
    expect([await status(shown), await status(bundle), await status(elsewhere)]).toEqual([200, 404, 404])
    const body = { hashes: [shown, bundle, elsewhere] }
    const pack = JSON.stringify((await hub.ask('POST', paths.blobs(at), { body, token })).body)
    expect(pack).toContain('shown')
    expect(pack).not.toContain('repository')
    expect(pack).not.toContain('elsewhere')
    // What is named later is there at once.
    const later = await file(shared, 'later', changed)
    expect(await status(later)).toBe(200)
  })

  it('W113 that is revoked or over ends its open streams and opens nothing any more', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const [one, two] = [await shared.link(), await shared.link()]
    const [first, second] = [await hub.stream(at, '', {}, one.token), await hub.stream(at, '', {}, two.token)]
    for (const stream of [first, second]) await stream.until(({ event }) => event === 'live')
    expect((await hub.ask('DELETE', paths.runLink(one.id))).status).toBe(200)
    expect(await first.next()).toBeNull()
    expect(codeOf(await hub.ask('GET', paths.status(at), { token: one.token }))).toBe('token.invalid')
    expect(codeOf(await hub.ask('DELETE', paths.runLink(one.id)))).toBe('link.unknown')
    const { db, close } = await openSqliteStore(join(hub.data, 'store.sqlite'))
    await db.updateTable('run_links').set({ expires_at: new Date().toISOString() }).execute()
    await close()
    expect(await second.next()).toBeNull()
    expect(codeOf(await hub.ask('GET', paths.status(at), { token: two.token }))).toBe('token.expired')
    expect((await hub.ask('GET', paths.allRunLinks())).body.items).toEqual([])
  })

  it('W113 is made, listed and revoked by the owner of the project alone, and listed without its text', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const made = await shared.link()
    const people: Person[] = [await shared.joined('mia', 'member'), await shared.person('sam')]
    const codes = []
    for (const { token } of people) {
      expect((await hub.ask('GET', paths.allRunLinks(), { token })).body.items).toEqual([])
      codes.push(codeOf(await hub.ask('POST', paths.runLinks(at), { body: {}, token })))
      codes.push(codeOf(await hub.ask('DELETE', paths.runLink(made.id), { token })))
    }
    expect(codes).toEqual(['role.refused', 'role.refused', 'run.unknown', 'link.unknown'])
    const list = await hub.ask('GET', `${paths.allRunLinks()}?run=${at.run}`)
    expect(list.body.items as RunLink[]).toMatchObject([{ id: made.id, run: at.run, title: 't' }])
    expect(JSON.stringify(list.body)).not.toContain(made.token)
    const bad = await hub.ask('POST', paths.runLinks(at), { body: { days: 91 } })
    expect(codeOf(bad)).toBe('request.malformed')
  })

  it('W52 W114 that is guessed is counted like any wrong token', async () => {
    const shared = await SharedHub.start()
    const codes = new Set<string | undefined>()
    for (let n = 0; n < 70; n++)
      codes.add(codeOf(await shared.hub.ask('GET', paths.sharedRun(), { token: `fhg_guess${n}` })))
    expect(codes).toEqual(new Set(['token.invalid', 'token.too-often']))
    const { token } = await shared.link()
    expect((await shared.hub.ask('GET', paths.sharedRun(), { token })).status).toBe(200)
  })
})
