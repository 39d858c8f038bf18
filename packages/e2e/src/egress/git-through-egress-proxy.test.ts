import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEgressProxy } from '@farhand/hub/sandboxes/egress/egress-proxy'
import { openNetworkAccess } from '@farhand/runner/sandbox/network-access'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitRemote, gitRemote } from './git-remote.ts'

const root = mkdtempSync(join(tmpdir(), 'farhand-git-door-'))
const password = { name: 'robot', word: 'hunter2-hunter2' }
const secrets = [password.word, Buffer.from(`${password.name}:${password.word}`).toString('base64')]
const socketFolder = join(root, 'door')
let remote: GitRemote
let env: Record<string, string>
let credential: { username: string; password: string } | null
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  remote = await gitRemote(join(root, 'remote'), password)
  const at = `http://git.test:${remote.port}`
  const remotes = [`${at}/team/`, `${at}/away/`]
  const gate = await openEgressProxy({
    socketFolder,
    rules: { network: 'none', alsoHosts: [], privateHosts: 'any' },
    remotes,
    credentialFor: async (repository) => (repository.startsWith(at) ? credential : null),
    hub: (socket) => socket.destroy(),
    refused: () => {},
    lookup: async () => ['127.0.0.1'],
  })
  const own = { PATH: process.env.PATH!, HOME: root, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
  const way = await openNetworkAccess({
    proxy: join(socketFolder, 'proxy.sock'),
    isAlone: true,
    remotes,
    env: own,
  })
  env = {
    ...way.env,
    ...Object.fromEntries(['AUTHOR', 'COMMITTER'].flatMap((who) => [[`GIT_${who}_NAME`, 'Agent']])),
    ...Object.fromEntries(['AUTHOR', 'COMMITTER'].flatMap((who) => [[`GIT_${who}_EMAIL`, 'a@example.org']])),
  }
  closing.push(
    () => way.close(),
    () => gate.close(),
    () => remote.close(),
  )
})

afterAll(async () => {
  for (const close of closing) await close()
  rmSync(root, { recursive: true, force: true })
})

/** What git says and how it ends, without a terminal. */
const git = (cwd: string, ...args: string[]) => gitReading('', cwd, ...args)

function gitReading(input: string, cwd: string, ...args: string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    const done = (error: unknown, out: string, err: string) =>
      resolve({ code: error ? 1 : 0, said: `${out}${err}` })
    const settings = {
      cwd,
      env: { ...env, GIT_TRACE: '1', GIT_CURL_VERBOSE: '1' },
      maxBuffer: 64 * 1024 * 1024,
    }
    execFile('git', args, settings, done).stdin?.end(input || undefined)
  })
}

describe('W44 git in a sandbox that reaches nothing but its hub', () => {
  const all: string[] = []
  const said = async (cwd: string, ...args: string[]) => {
    const answer = await git(cwd, ...args)
    all.push(answer.said)
    return answer
  }
  const address = (path: string) => `http://git.test:${remote.port}/${path}`

  it('clones, fetches and pushes to a remote of its run, under the address that it has', async () => {
    credential = { username: password.name, password: password.word }
    const one = join(root, 'one')
    expect(await said(root, 'clone', address('team/app.git'), one)).toMatchObject({ code: 0 })
    // More than git sends in one piece: the rest goes in chunks.
    await writeFile(join(one, 'large'), randomBytes(2_000_000))
    for (const args of [
      ['add', '.'],
      ['commit', '-m', 'large'],
      ['push', 'origin', 'HEAD:main'],
    ])
      expect(await said(one, ...args)).toMatchObject({ code: 0 })
    const two = join(root, 'two')
    expect(await said(root, 'clone', `git@git.test:team/app.git`, two)).toMatchObject({ code: 0 })
    expect((await readFile(join(two, 'large'))).equals(await readFile(join(one, 'large')))).toBe(true)
    await said(two, 'commit', '--allow-empty', '-m', 'from two')
    expect(await said(two, 'push', address('team/app'), 'HEAD:main')).toMatchObject({ code: 0 })
    // What one has and the other has not is told, and is long enough to be compressed.
    const own = Array.from({ length: 60 }, () => `commit refs/heads/own\n${committer}data 1\nx\n`)
    expect(await gitReading(own.join(''), one, 'fast-import')).toMatchObject({ code: 0 })
    expect(await said(one, 'fetch')).toMatchObject({ code: 0 })
    expect((await git(one, 'rev-parse', 'origin/main')).said).toContain((await readHead(two)).trim())
    expect((await git(one, 'config', 'remote.origin.url')).said).toContain(address('team/app.git'))
    expect(new Set(remote.asked.map(({ authorization }) => authorization))).toEqual(
      new Set([`Basic ${secrets[1]}`]),
    )
    // Each way in which git sends a body.
    expect(new Set(remote.asked.map(({ body }) => body))).toEqual(
      new Set(['undefined undefined', 'undefined chunked', 'gzip undefined']),
    )
  })

  it('follows a repository that was renamed, and none to another host', async () => {
    expect(await said(root, 'ls-remote', address('team/old.git'))).toMatchObject({ code: 0 })
    const away = await said(root, 'ls-remote', address('away/app.git'))
    expect(away).toMatchObject({ code: 1 })
    expect(away.said).toMatch(/remote: Farhand: .* has moved to another host/)
  })

  it('is told in words that a remote is not one of its run, and no request is made', async () => {
    const before = remote.asked.length
    env = { ...env, ...insteadOf(address('private/'), `${doorOf(env)}http/git.test:${remote.port}/private/`) }
    const refused = await said(root, 'clone', address('private/app.git'), join(root, 'three'))
    expect(refused.code).toBe(1)
    expect(refused.said).toMatch(
      /remote: Farhand: http:\/\/git\.test:\d+\/private\/app\.git is not among the repo/,
    )
    expect(remote.asked).toHaveLength(before)
  })

  it.each([
    ['none', null, /the remote wants a credential, and the project has none for it/],
    ['a wrong one', { username: 'robot', password: 'not-hunter' }, /does not accept the credential/],
  ])('is told that the project has %s, and does not wait for a user to type it', async (_, found, words) => {
    credential = found
    const refused = await said(root, 'ls-remote', address('team/app.git'))
    expect(refused.code).toBe(1)
    expect(refused.said).toMatch(words)
    if (found) expect(refused.said).not.toContain(found.password)
    if (found) expect(refused.said).not.toContain(Buffer.from('robot:not-hunter').toString('base64'))
  })

  it('never sees the credential', async () => {
    const one = join(root, 'one')
    const config = await git(one, 'config', '--list', '--show-origin')
    const file = await readFile(join(one, '.git/config'), 'utf8')
    const seen = [JSON.stringify(env), config.said, file, ...all].join('\n')
    expect(seen).toContain('info/refs')
    for (const secret of secrets) expect(seen).not.toContain(secret)
    expect(seen).not.toMatch(/^.*(< set-cookie|< www-authenticate).*$/im)
  })

  it('on a machine whose loopback it shares has a token that other users do not know', async () => {
    credential = { username: password.name, password: password.word }
    const remotes = [`http://git.test:${remote.port}/team/`]
    const own = { PATH: process.env.PATH!, HOME: root, LC_ALL: 'C' }
    const way = await openNetworkAccess({
      proxy: join(socketFolder, 'proxy.sock'),
      isAlone: false,
      remotes,
      env: own,
    })
    try {
      env = way.env
      expect(env.HTTP_PROXY).toBeUndefined()
      expect(await git(root, 'ls-remote', address('team/app.git'))).toMatchObject({ code: 0 })
      const { origin } = new URL(doorOf(env))
      const path = `/git/http/git.test:${remote.port}/team/app.git/info/refs?service=git-upload-pack`
      await expect(fetch(`${origin}${path}`)).rejects.toThrow()
      const headers = { 'farhand-word': 'a guess' }
      await expect(fetch(`${origin}${path}`, { headers })).rejects.toThrow()
    } finally {
      await way.close()
    }
  })
})

const committer = 'committer A <a@example.org> 4000000000 +0000\n'
const readHead = (repository: string) => readFile(join(repository, '.git/refs/heads/main'), 'utf8')

const doorOf = (env: Record<string, string>) =>
  /^url\.(.*\/git\/)http\//.exec(Object.values(env).find((value) => value.startsWith('url.')) ?? '')![1]!

function insteadOf(from: string, to: string): Record<string, string> {
  const at = Number(env.GIT_CONFIG_COUNT)
  return {
    GIT_CONFIG_COUNT: String(at + 1),
    [`GIT_CONFIG_KEY_${at}`]: `url.${to}.insteadOf`,
    [`GIT_CONFIG_VALUE_${at}`]: from,
  }
}
