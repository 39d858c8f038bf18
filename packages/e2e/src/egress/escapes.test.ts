import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { beginRunner, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { HubConfig } from '@farhand/hub/config/hub-config'
import { type RunningHub, startHub } from '@farhand/hub/hub'
import { BubblewrapSandboxHost } from '@farhand/hub/sandboxes/bubblewrap-sandbox-host'
import { type EgressProxy, openEgressProxy } from '@farhand/hub/sandboxes/egress/egress-proxy'
import type { Network } from '@farhand/protocol/schemas/sandbox-terms'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Attempt, probe } from './probe.ts'

const folder = mkdtempSync(join(tmpdir(), 'farhand-escapes-'))
/** Of this process alone: names of sockets and of sandboxes are the whole machine's. */
const nameHere = `escapes${process.pid}`
const host = new BubblewrapSandboxHost({ folder, secret: [] })
const unusable = await host.unusable()

const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const attempts: Record<string, Attempt> = {}
const results: Record<'none' | 'allow', Record<string, string>> = { none: {}, allow: {} }
const refused: Record<'none' | 'allow', string[]> = { none: [], allow: [] }
const visitors: (string | undefined)[] = []

/** A service of the hub's machine that no sandbox is meant to see; what is allowed is another port of the same one. */
async function listen(where: string): Promise<number> {
  const server = createServer((req, res) => {
    visitors.push(`${req.headers['x-attempt'] ?? 'direct'} ${where}`)
    res.end('welcome')
  })
  server.on('connection', () => visitors.push(where))
  await new Promise<void>((resolve) => server.listen(0, where, resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function runOf(hub: RunningHub): Promise<{ at: RunAddress; token: string }> {
  const owner = { url: hub.url, token: hub.ownerToken! }
  const project = await createProject(owner, { name: 'p' })
  const task = await createTask(owner, project.id, { title: 't' })
  const run = await createRun(owner, project.id, task.id, { sandbox: 'none' })
  const at = { project: project.id, task: task.id, run: run.id }
  return { at, token: (await beginRunner(owner, at)).token }
}

describe.skipIf(unusable)('W44 a program inside a sandbox', () => {
  beforeAll(async () => {
    const hub = await startHub(HubConfig.parse({ port: 0, data: join(folder, 'data'), logLevel: 'silent' }))
    closing.push(() => hub.stop())
    const [own, other] = [await runOf(hub), await runOf(hub)]
    const [secret, site] = [await listen('0.0.0.0'), await listen('127.0.0.1')]
    const hubPort = Number(new URL(hub.url).port)
    const abstract = createListener().listen(`\0${nameHere}`)
    closing.push(() => abstract.close())

    const otherSockets = join(folder, 'doors', 'other')
    const open = (
      socketFolder: string,
      network: Network,
      at: RunAddress,
      told: string[],
    ): Promise<EgressProxy> =>
      openEgressProxy({
        socketFolder,
        rules: { network, alsoHosts: [], privateHosts: 'any' },
        remotes: [],
        credentialFor: async () => null,
        hub: (socket) => hub.take(socket, at.run),
        refused: ({ host }) => told.push(host),
        lookup: async () => ['127.0.0.1'],
      })
    const otherGate = await open(otherSockets, 'none', other.at, [])
    closing.push(() => otherGate.close())

    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one && !one.internal && one.family === 'IPv4')?.address
    const connect = (authority: string): Attempt => ({
      by: 'proxy',
      words: `CONNECT ${authority} HTTP/1.1\r\nHost: site.test:${site}\r\n\r\n`,
    })
    const get = (url: string, more = ''): Attempt => ({
      by: 'proxy',
      words: `GET ${url} HTTP/1.1\r\nHost: site.test:${site}\r\n${more}\r\n`,
    })
    const ask = (path: string, token: string, name = `127.0.0.1:${hubPort}`): Attempt => ({
      by: 'hub',
      words: `GET ${path} HTTP/1.1\r\nHost: ${name}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    })
    Object.assign(attempts, {
      'the allowed site, through the proxy': connect(`site.test:${site}`),
      'the allowed site, asked for a page': get(`http://site.test:${site}/`),
      'its own run at the hub': ask(paths.status(own.at), own.token),

      'a service of the machine, by TCP': { by: 'tcp', host: '127.0.0.1', port: secret },
      'the allowed site, by TCP': { by: 'tcp', host: '127.0.0.1', port: site },
      'the machine by the address it has outside': { by: 'tcp', host: outside ?? '10.0.0.1', port: secret },
      'the port of the hub': { by: 'tcp', host: '127.0.0.1', port: hubPort },
      'the world, by TCP': { by: 'tcp', host: '1.1.1.1', port: 443 },
      'the world, by version 6': { by: 'tcp', host: '2606:4700:4700::1111', port: 443 },
      'a server of names': { by: 'udp', host: '1.1.1.1', port: 53 },
      'a name': { by: 'name', host: 'example.org' },
      'a service at a socket without a file': { by: 'socket', path: `\0${nameHere}` },
      'the socket of another sandbox': { by: 'socket', path: join(otherSockets, 'hub.sock') },
      'the proxy of another sandbox': { by: 'socket', path: join(otherSockets, 'proxy.sock') },
      'taking its own door away': { by: 'remove', path: '/run/farhand/hub.sock' },
      'a file in its door': { by: 'write', path: '/run/farhand/file' },

      'another host': connect('evil.test:443'),
      'another port': connect(`site.test:${secret}`),
      'a listed name that leads to the machine': connect('listed.test:80'),
      'the machine, by CONNECT': connect(`127.0.0.1:${secret}`),
      'the machine by its name': connect(`localhost:${secret}`),
      'the machine in version 6': connect(`[::1]:${secret}`),
      'the machine in disguise': connect(`[::ffff:127.0.0.1]:${secret}`),
      'the machine as one number': connect(`2130706433:${secret}`),
      'the machine as a short number': connect(`0x7f.1:${secret}`),
      'the machine as nothing': connect(`0.0.0.0:${secret}`),
      'the machine with a dot': connect(`127.0.0.1.:${secret}`),
      'the machine behind a user': connect(`site.test:${site}@127.0.0.1:${secret}`),
      'the hub, by CONNECT': connect(`127.0.0.1:${hubPort}`),
      'the hub behind an allowed name': connect(`site.test:${hubPort}`),
      'the hub, asked for a page': get(`http://127.0.0.1:${hubPort}/api/projects`),
      'the machine under the allowed Host': get(`http://127.0.0.1:${secret}/`),
      'the machine behind a user, in an address': get(`http://site.test:${site}@127.0.0.1:${secret}/`),
      'the machine by an offer of another protocol': get(
        `http://127.0.0.1:${secret}/`,
        'Connection: Upgrade\r\nUpgrade: websocket\r\n',
      ),
      'a git remote that is not listed': get(
        `/git/http/127.0.0.1:${secret}/a/info/refs?service=git-upload-pack`,
      ),

      'another run at the hub': ask(paths.status(other.at), own.token),
      'another run with its own token': ask(paths.status(other.at), other.token),
      'the hub as its owner': ask(paths.projects(), hub.ownerToken!),
      'the hub under another name': ask(paths.status(own.at), own.token, 'evil.test'),
    } satisfies Record<string, Attempt>)

    const allow = { allow: [`site.test:${site}`, 'listed.test'] }
    for (const [kind, network] of [
      ['none', 'none'],
      ['allow', allow],
    ] as const) {
      const socketFolder = join(folder, 'doors', kind)
      const gate = await open(socketFolder, network, own.at, refused[kind])
      closing.push(() => gate.close())
      const id = `sb_${nameHere}${kind}`
      closing.push(() => host.remove(id))
      await host.start({
        id,
        run: own.at.run,
        program: [process.execPath, '--input-type=module', '-'],
        input: ({ socketFolder }) => probe(socketFolder, attempts),
        readable: [process.execPath],
        socketFolder,
        network: 'sockets-only',
        limits: { memoryMb: 1024, processes: 200, cpus: 2, diskMb: 64 },
      })
      const { lastWords } = await host.ended(id)
      results[kind] = JSON.parse(lastWords)
    }
  })

  const none = (name: string) => results.none[name]
  const allow = (name: string) => results.allow[name]

  it('reaches its run at the hub, and under a list the listed hosts, so that all other attempts were really made', () => {
    expect(none('its own run at the hub')).toBe('HTTP/1.1 200 OK')
    expect(allow('its own run at the hub')).toBe('HTTP/1.1 200 OK')
    expect(allow('the allowed site, through the proxy')).toBe('HTTP/1.1 200 Connection established')
    expect(allow('the allowed site, asked for a page')).toBe('HTTP/1.1 200 OK')
    expect(none('the allowed site, through the proxy')).toBe('HTTP/1.1 403 Forbidden')
    expect(none('the allowed site, asked for a page')).toBe('HTTP/1.1 403 Forbidden')
  })

  it.each([
    'a service of the machine, by TCP',
    'the allowed site, by TCP',
    'the machine by the address it has outside',
    'the port of the hub',
    'the world, by TCP',
    'the world, by version 6',
    'a server of names',
    'a name',
    'a service at a socket without a file',
    'the socket of another sandbox',
    'the proxy of another sandbox',
    'taking its own door away',
    'a file in its door',
  ])('cannot reach %s', (name) => {
    const nothingThere = /^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND|ENOENT|EROFS|EACCES)$/
    expect(none(name)).toMatch(nothingThere)
    expect(allow(name)).toMatch(nothingThere)
  })

  it.each([
    'another host',
    'another port',
    'a listed name that leads to the machine',
    'the machine, by CONNECT',
    'the machine by its name',
    'the machine in version 6',
    'the machine in disguise',
    'the machine as one number',
    'the machine as a short number',
    'the machine as nothing',
    'the machine with a dot',
    'the machine behind a user',
    'the hub, by CONNECT',
    'the hub behind an allowed name',
    'the hub, asked for a page',
    'the machine under the allowed Host',
    'the machine behind a user, in an address',
    'the machine by an offer of another protocol',
    'a git remote that is not listed',
  ])('is refused %s', (name) => {
    expect(none(name)).toMatch(/^HTTP\/1\.1 40[03] /)
    expect(allow(name)).toMatch(/^HTTP\/1\.1 40[03] /)
  })

  it.each([
    ['another run at the hub', 404],
    ['another run with its own token', 403],
    ['the hub as its owner', 403],
    ['the hub under another name', 403],
  ])('is refused %s by the hub', (name, status) => {
    expect(none(name)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(allow(name)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('was seen only by the site that was allowed', () => {
    expect(visitors.filter((where) => where?.endsWith('0.0.0.0'))).toEqual([])
    expect(visitors).toContain('127.0.0.1')
  })

  it('is reported, each host once', () => {
    expect(new Set(refused.allow).size).toBe(refused.allow.length)
    expect(refused.allow).toEqual(
      expect.arrayContaining(['evil.test', 'listed.test', '127.0.0.1', 'localhost']),
    )
    expect(refused.none).toContain('site.test')
  })

  it('has no attempt whose result was not checked', () => {
    expect(Object.keys(results.none)).toHaveLength(Object.keys(attempts).length)
    expect(Object.values(results.allow).filter((result) => result === 'open')).toEqual([])
  })
})
