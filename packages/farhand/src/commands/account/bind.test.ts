import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { paths } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'
import { inStep, type Told, write } from '../link/link-under-test.ts'

const password = 'correct horse battery'
const dayMs = 24 * 3600_000
const piped = (text: string) => ({ input: () => Readable.from([Buffer.from(`${text}\n`)]) })

let hub: HubProcess
beforeAll(async () => {
  hub = await HubProcess.start()
  const set = await runHere(['user', 'password', 'owner', '--data', hub.data], piped(password))
  expect(set.out).toMatch('The password of owner is set.')
}, 120_000)
afterAll(() => hub.kill('SIGKILL'))

async function boundState(name: string) {
  const state = await temporaryFolder()
  const { out } = await runHere(
    ['bind', hub.url, '--user', 'owner', '--name', name, '--state', state, '--json'],
    piped(password),
  )
  const run = (...words: string[]) => runHere([...words, '--state', state])
  return { state, run, told: JSON.parse(out), tokens: new StateFolder(state).tokens }
}

describe('a computer', { timeout: 180_000 }, () => {
  it('is bound with a password, used by every command, renewed near its end, listed, and unbound by logout', async () => {
    const { state, run, told, tokens } = await boundState('laptop')
    expect(told).toMatchObject({
      event: 'bound',
      hub: hub.url,
      user: 'owner',
      name: 'laptop',
      keptIn: 'file',
    })
    expect((await run('ls')).out).toMatch(/There is no run yet/)
    expect((await run('devices')).out).toMatch(/^laptop +this one/m)

    // As if it were bound 85 days ago.
    const first = tokens.refreshOf(hub.url)
    const [note = ''] = (await readdir(path.join(state, 'account'))).filter((name) => name.endsWith('.json'))
    const file = path.join(state, 'account', note)
    const kept = JSON.parse(await readFile(file, 'utf8'))
    kept.bound.expiresAt = new Date(Date.now() + 5 * dayMs).toISOString()
    await writeFile(file, JSON.stringify(kept))
    const both = await Promise.all([1, 2].map(() => farhand('devices', '--state', state, '--json').line()))
    for (const line of both) expect(JSON.parse(line)).toMatchObject([{ name: 'laptop', isThis: true }])
    expect(Date.parse(tokens.boundAs(hub.url)!.expiresAt)).toBeGreaterThan(Date.now() + 85 * dayMs)
    expect(tokens.refreshOf(hub.url)).not.toBe(first)

    const { state: other, tokens: others } = await boundState('desktop')
    expect((await run('logout')).out).toMatch(`Signed out of ${hub.url}`)
    expect(tokens.urls()).toEqual([])
    const { out } = await runHere(['devices', '--state', other, '--json'])
    expect(JSON.parse(out)).toMatchObject([{ name: 'desktop', isThis: true }])
    expect(others.boundAs(hub.url)?.name).toBe('desktop')
  })

  it('that is revoked while it syncs a folder is told so, and its link ends', async () => {
    const { state, run } = await boundState('lost laptop')
    const folder = await temporaryFolder()
    await write(folder, { 'a.txt': 'one' })
    const link = farhand('link', folder, '--run', 'new', '--hub', hub.url, '--state', state, '--json')
    for (;;) if (inStep(JSON.parse(await link.line()) as Told)) break
    await run('devices', 'revoke', 'lost laptop')
    expect(await link.exitCode).not.toBe(0)
    expect(link.errors()).toMatch(`Your token for ${hub.url} was revoked.`)
    await expect(run('ls')).rejects.toMatchObject({ message: `Your token for ${hub.url} was revoked.` })
  })

  it('without a browser is bound by a code that a user approves', async () => {
    const state = await temporaryFolder()
    const bind = farhand('bind', hub.url, '--code', '--name', 'build box', '--state', state, '--json')
    const code = JSON.parse(await bind.line())
    expect(code).toMatchObject({ event: 'code', verification_url: `${hub.url}/settings#devices` })
    expect(code).not.toHaveProperty('device_code')
    const json = { 'Content-Type': 'application/json' }
    const signedIn = await fetch(hub.url + paths.signIn(), {
      ...{ method: 'POST', headers: json, body: JSON.stringify({ username: 'owner', password }) },
    })
    const { sessionKey } = (await signedIn.json()) as { sessionKey: string }
    const Cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
    const headers = { ...json, Cookie, 'Farhand-Key': sessionKey }
    await fetch(hub.url + paths.deviceCode(code.user_code), {
      ...{ method: 'POST', headers, body: JSON.stringify({ isApproved: true }) },
    })
    expect(JSON.parse(await bind.line())).toMatchObject({ event: 'bound', user: 'owner', name: 'build box' })
    expect(await bind.exitCode).toBe(0)
  })

  it('is not bound with a wrong password, nor over http to another machine', async () => {
    const state = await temporaryFolder()
    const bind = (url: string, text: string) =>
      runHere(['bind', url, '--user', 'owner', '--state', state], piped(text))
    await expect(bind(hub.url, 'wrong password')).rejects.toMatchObject({
      message: 'User name and password do not belong together.',
    })
    await expect(bind('http://192.0.2.7:7717', password)).rejects.toMatchObject({
      message: expect.stringContaining('is not encrypted'),
    })
    expect(new StateFolder(state).tokens.urls()).toEqual([])
  })
})

describe('farhand user', { timeout: 120_000 }, () => {
  it('lists the tokens of a user with their end, and asks for a password twice where it is not shown', async () => {
    const here = (...words: string[]) => runHere([...words, '--data', hub.data])
    await here('user', 'add', 'ada')
    await here('user', 'token', 'ada', '--days', '30')
    const lines = (await here('user', 'tokens', 'ada')).out.trim().split('\n')
    expect(lines).toHaveLength(3)
    const ends = new Date(Date.now() + 30 * dayMs).toISOString().slice(0, 10)
    expect(lines.filter((line) => line.includes(ends))).toHaveLength(1)
    await expect(here('user', 'token', 'ada', '--days', 'soon')).rejects.toMatchObject({ exit: 'usage' })

    const [, id = ''] = /(tok_\w+)$/.exec(lines.find((line) => line.includes(ends)) ?? '') ?? []
    expect((await here('user', 'revoke', 'ada', '--token', id)).out).toMatch(
      `The token ${id} of ada is revoked.`,
    )
    expect(JSON.parse((await here('user', 'tokens', 'ada', '--json')).out)).toMatchObject([{ name: 'first' }])
    await expect(here('user', 'revoke', 'ada', '--token', id)).rejects.toMatchObject({ exit: 'usage' })

    const typed = (...answers: string[]) => ({ askHidden: async () => answers.shift() ?? null })
    const set = (given: object) => runHere(['user', 'password', 'ada', '--data', hub.data], given)
    await expect(set(typed(password, 'another password'))).rejects.toMatchObject({
      message: 'These were two different passwords.',
    })
    expect((await set(typed(password, password))).out).toMatch('The password of ada is set.')
    await expect(set(typed('short', 'short'))).rejects.toThrow('expected 10 to 1024 characters')
    expect((await here('user', 'password', 'ada', '--remove')).out).toMatch('has no password any more')
  })
})
