import { createServer, type RequestListener } from 'node:http'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type LookOptions, wrongRepository } from './wrong-repository.ts'

const anywhere: LookOptions['rules'] = { network: 'full', alsoHosts: [], privateHosts: 'any' }

async function remote(answer: RequestListener): Promise<string> {
  const { url, close } = await onLoopback(createServer(answer))
  onTestFinished(close)
  return `${url}/team/app.git`
}

const wrong = (url: string, more: Partial<LookOptions> = {}) =>
  wrongRepository({ url, rules: anywhere, credentialFor: async () => null, ...more })
const look = async (...asked: Parameters<typeof wrong>) => (await wrong(...asked))?.why ?? null

const answering = (status: number, type = 'text/plain') =>
  remote((_, res) => res.writeHead(status, { 'content-type': type }).end('x'))

describe('the address of a repository', () => {
  it('is right if git answers there, and is requested as git requests it', async () => {
    const asked: unknown[] = []
    const url = await remote((req, res) => {
      asked.push([req.method, req.url, req.headers.authorization])
      res
        .writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
        .end('001e# service')
    })
    const credentialFor = async () => ({ username: 'a', password: 'b' })
    expect(await look(url, { credentialFor })).toBeNull()
    expect(asked).toEqual([['GET', '/team/app.git/info/refs?service=git-upload-pack', 'Basic YTpi']])
  })

  it('is wrong where nothing is, where a web page is, and where the server wants a credential that the project lacks', async () => {
    const nothing = await answering(404)
    expect(await look(nothing)).toBe(`There is no repository at ${nothing}.`)
    const page = await answering(200, 'text/html; charset=utf-8')
    expect(await look(page)).toBe(`There is a web page at ${page}, and no git repository.`)
    const closed = await answering(401)
    expect(await look(closed)).toContain('or it wants a credential, and the project has none for it.')
    const credentialFor = async () => ({ username: 'a', password: 'b' })
    expect(await look(closed, { credentialFor })).toContain('does not accept the credential')
  })

  it('is wrong where there is no such host', async () => {
    const lookup = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
    expect(await look('https://gihtub.test/a.git', { lookup })).toBe('There is no host called gihtub.test.')
  })

  it('is right, and a branch or tag that the repository does not list is not', async () => {
    const hash = '0123456789'.repeat(4)
    const list = `001e# service=git-upload-pack\n0000009b${hash} HEAD\0multi_ack symref=HEAD:refs/heads/main\n003d${hash} refs/heads/main\n0042${hash} refs/heads/fix/roses\n003a${hash} refs/tags/v1\n0000`
    const type = 'application/x-git-upload-pack-advertisement'
    const url = await remote((_, res) => res.writeHead(200, { 'content-type': type }).end(list))
    for (const ref of ['main', 'heads/main', 'origin/main', 'refs/tags/v1', 'fix/roses', 'HEAD'])
      expect(await wrong(url, { ref })).toBeNull()
    for (const ref of ['mian', 'fix', 'v', 'refs/heads/v1'])
      expect(await wrong(url, { ref })).toEqual({
        of: 'ref',
        why: `There is no branch or tag called ${ref} in ${url}.`,
      })
    // A commit, and a way to one, is in no list.
    for (const ref of [hash, 'abcdef0', 'main~2', 'v1^{}']) expect(await wrong(url, { ref })).toBeNull()
    const cut = await remote((_, res) => res.writeHead(200, { 'content-type': type }).end(list.slice(0, -9)))
    expect(await wrong(cut, { ref: 'mian' })).toBeNull()
  })

  it('is not called wrong by a remote that is down, slow, broken or moved, nor by a name server that is', async () => {
    for (const status of [301, 429, 500, 503]) expect(await look(await answering(status))).toBeNull()
    expect(await look(await remote((req) => req.socket.destroy()))).toBeNull()
    expect(await look(await remote(() => {}), { patienceMs: 50 })).toBeNull()
    const { url, close } = await onLoopback(createServer())
    await close()
    expect(await look(`${url}/a.git`)).toBeNull()
    const lookup = async () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' }))
    expect(await look('https://example.test/a.git', { lookup })).toBeNull()
  })

  it('is not requested where the run may not connect, so that it cannot be used to explore a private network', async () => {
    let asked = 0
    const url = await remote((_, res) => {
      asked += 1
      res.writeHead(404).end()
    })
    expect(await look(url, { rules: { ...anywhere, privateHosts: [] } })).toBeNull()
    const named = url.replace('127.0.0.1', 'inside.test')
    const lookup = async () => ['127.0.0.1']
    expect(await look(named, { rules: { ...anywhere, privateHosts: [] }, lookup })).toBeNull()
    expect(asked).toBe(0)
  })
})
