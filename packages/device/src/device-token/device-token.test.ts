import { readdirSync, utimesSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { HubTokens } from '@farhand/sync/state/hub-tokens'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DeviceToken } from './device-token.ts'
import { withTokensLocked } from './lock-tokens.ts'
import { withDeviceToken } from './with-device-token.ts'
import { isWorthRenewing } from './worth-renewing.ts'

const url = 'https://hub.example'
const device = 'dev_123456789'
const dayMs = 24 * 3600_000
const noonMs = Date.parse('2026-03-01T12:00:00.000Z')
const inDays = (days: number) => new Date(noonMs + days * dayMs).toISOString()

/** A state folder that is bound to a hub until this time, and a hub that renews. */
async function boundUntil(expiresAt: string) {
  const root = await mkdtemp(path.join(tmpdir(), 'farhand-device-token-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const tokens = new HubTokens(root)
  tokens.keepBound(url, { token: 'fha_0', refresh: 'fhf_0' }, { device, name: 'laptop', expiresAt })
  const asked: string[] = []
  const hub = {
    answers: async (refresh: string): Promise<Response> => {
      const next = Number(refresh.slice(4)) + 1
      const answer = { acp_token: `fha_${next}`, refresh_token: `fhf_${next}`, device_id: device }
      return Response.json({ ...answer, expires_at: inDays(90) })
    },
  }
  const fetch = (async (_: string, init: RequestInit) => {
    const { refresh_token } = JSON.parse(String(init.body)) as { refresh_token: string }
    asked.push(refresh_token)
    return await hub.answers(refresh_token)
  }) as typeof globalThis.fetch
  const clock = { nowMs: noonMs }
  const open = () => new DeviceToken(root, url, { fetch, now: () => clock.nowMs })
  return { root, tokens, asked, hub, clock, open }
}

describe("a bound computer's token", () => {
  it('W71 is renewed within seven days of its end, and not before', () => {
    expect(isWorthRenewing(inDays(7.1), noonMs)).toBe(false)
    expect(isWorthRenewing(inDays(6.9), noonMs)).toBe(true)
    expect(isWorthRenewing(inDays(-1), noonMs)).toBe(true)
  })

  it('W71 is renewed silently once it ends soon, and is stored with its refresh token before it is used', async () => {
    const { tokens, asked, clock, open } = await boundUntil(inDays(8))
    const token = open()
    expect(await token.current()).toBe('fha_0')
    expect(asked).toEqual([])
    clock.nowMs += 2 * dayMs
    expect(await token.current()).toBe('fha_1')
    expect([tokens.of(url), tokens.refreshOf(url), tokens.boundAs(url)]).toEqual([
      ...['fha_1', 'fhf_1'],
      { device, name: 'laptop', expiresAt: inDays(90) },
    ])
    expect(await token.current()).toBe('fha_1')
    expect(asked).toEqual(['fhf_0'])
  })

  it('W71 is renewed by one of several processes that need it at the same moment', async () => {
    const { asked, open } = await boundUntil(inDays(1))
    const all = await Promise.all(Array.from({ length: 5 }, () => open().current()))
    expect(all).toEqual(['fha_1', 'fha_1', 'fha_1', 'fha_1', 'fha_1'])
    expect(asked).toEqual(['fhf_0'])
  })

  it('stays as it is while the hub does not answer, and the same refresh token is sent again later', async () => {
    const { asked, hub, clock, open } = await boundUntil(inDays(1))
    const { answers } = hub
    hub.answers = async (refresh) => {
      // The hub has renewed it, and its answer is lost.
      await answers(refresh)
      throw new TypeError('fetch failed')
    }
    const token = open()
    expect(await token.current()).toBe('fha_0')
    hub.answers = answers
    // Not with every request: each would wait for the hub.
    expect(await token.current()).toBe('fha_0')
    clock.nowMs += 11 * 60_000
    expect(await token.current()).toBe('fha_1')
    expect(asked).toEqual(['fhf_0', 'fhf_0'])
  })

  it('that the user binds anew, or deletes, while it is renewed stays as the user left it', async () => {
    const { tokens, hub, open } = await boundUntil(inDays(1))
    const { answers } = hub
    const anew = { device: 'dev_987654321', name: 'laptop', expiresAt: inDays(90) }
    hub.answers = async (refresh) => {
      tokens.keepBound(url, { token: 'fha_new', refresh: 'fhf_new' }, anew)
      return await answers(refresh)
    }
    expect(await open().current()).toBe('fha_new')
    expect([tokens.boundAs(url), tokens.refreshOf(url)]).toEqual([anew, 'fhf_new'])
    tokens.keepBound(url, { token: 'fha_0', refresh: 'fhf_0' }, { ...anew, expiresAt: inDays(1) })
    hub.answers = async (refresh) => {
      tokens.forget(url)
      return await answers(refresh)
    }
    expect(await open().current()).toBeNull()
    expect(tokens.note(url)).toBeNull()
  })

  it('is not replaced by binding while it is renewed', async () => {
    const { tokens, hub, open } = await boundUntil(inDays(1))
    const { answers } = hub
    const done: string[] = []
    let bound: Promise<unknown> = Promise.resolve()
    hub.answers = async (refresh) => {
      bound = withTokensLocked(tokens, url, () => done.push(`bound after ${tokens.of(url)}`))
      return await answers(refresh)
    }
    expect(await open().current()).toBe('fha_1')
    await bound
    expect(done).toEqual(['bound after fha_1'])
  })

  it('is renewed again after a thread was ended in the middle of that, which never releases its lock', async () => {
    const { root, tokens, asked, open } = await boundUntil(inDays(1))
    expect(tokens.lock(url)).toHaveProperty('release')
    const folder = path.join(root, 'account')
    const [name] = readdirSync(folder).filter((one) => one.endsWith('.renewing'))
    const longAgo = new Date(Date.now() - 60_000)
    utimesSync(path.join(folder, name!, 'lock'), longAgo, longAgo)
    expect(await open().current()).toBe('fha_1')
    expect(asked).toEqual(['fhf_0'])
  })

  it('is what the requests of an access carry, also after another process has renewed it; a runner’s token stays', async () => {
    // Far off, as nothing pretends a time here.
    const far = new Date(Date.now() + 80 * dayMs).toISOString()
    const { root, tokens } = await boundUntil(far)
    const said: (string | null)[] = []
    const fetch = (async (_: string, init: RequestInit) => {
      said.push(new Headers(init.headers).get('authorization'))
      return new Response()
    }) as typeof globalThis.fetch
    const access = withDeviceToken(root, { url, token: 'fha_0', fetch })
    const ask = (token: string) =>
      access.fetch!(url, { headers: { authorization: `Bearer ${token}` } as Record<string, string> })
    const as = { device, name: 'laptop', expiresAt: `${far.slice(0, -1)}1Z` }
    tokens.keepBound(url, { token: 'fha_1', refresh: 'fhf_1' }, as)
    await ask('fha_0')
    await ask('fhr_1_of_a_runner')
    expect(said).toEqual(['Bearer fha_1', 'Bearer fhr_1_of_a_runner'])
    const other = { url, token: 'fh_of_login', fetch }
    expect(withDeviceToken(root, other)).toBe(other)
  })
})
