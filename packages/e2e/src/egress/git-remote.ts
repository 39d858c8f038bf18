import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onLoopback } from '@farhand/testkit/on-loopback'

const run = promisify(execFile)

export type GitRemote = {
  port: number
  /** What was asked, and with which credential. */
  asked: { method: string; url: string; authorization: string | undefined; body: string }[]
  close(): Promise<void>
}

/** Repositories as hosters have them, `team/app` and `private/app`: git's own server behind a password. */
export async function gitRemote(
  folder: string,
  password: { name: string; word: string },
): Promise<GitRemote> {
  for (const name of ['team/app.git', 'private/app.git']) {
    await mkdir(join(folder, name), { recursive: true })
    await run('git', ['init', '--bare', '--initial-branch=main', join(folder, name)])
  }
  const wanted = `Basic ${Buffer.from(`${password.name}:${password.word}`).toString('base64')}`
  const asked: GitRemote['asked'] = []
  const server = createServer((req, res) => {
    const { method = '', url = '', headers } = req
    const { authorization, 'content-encoding': encoding, 'transfer-encoding': transfer } = headers
    asked.push({ method, url, authorization, body: `${encoding} ${transfer}` })
    if (url.startsWith('/away/')) res.writeHead(302, { location: 'http://evil.test/team/app.git' }).end()
    else if (url.startsWith('/team/old.git'))
      res.writeHead(301, { location: url.replace('old.git', 'app.git'), 'set-cookie': 'a=b' }).end()
    else if (authorization === wanted) answer(folder, req, res)
    else {
      res.writeHead(401, { 'www-authenticate': 'Basic realm="x"', 'content-type': 'text/plain' })
      res.end(`who are you? you said ${authorization}`)
    }
  })
  const { url, close } = await onLoopback(server)
  return { port: Number(new URL(url).port), asked, close }
}

function answer(folder: string, req: IncomingMessage, res: ServerResponse): void {
  const { pathname, search } = new URL(req.url!, 'http://x')
  const child: ChildProcess = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: '/usr/bin:/bin:/usr/local/bin',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      REMOTE_USER: 'somebody',
      REQUEST_METHOD: req.method!,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: req.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: req.headers['content-encoding'] ?? '',
      HTTP_GIT_PROTOCOL: String(req.headers['git-protocol'] ?? ''),
      ...(req.headers['content-length'] && { CONTENT_LENGTH: req.headers['content-length'] }),
    },
  })
  child.stdin!.on('error', () => {})
  req.pipe(child.stdin!)
  let head = Buffer.alloc(0)
  child.stdout!.on('data', (piece: Buffer) => {
    if (res.headersSent) return void res.write(piece)
    head = Buffer.concat([head, piece])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const lines = head.toString('latin1', 0, end).split('\r\n')
    const headers = lines.map((line) => [line.split(':')[0]!, line.split(/: */)[1] ?? ''] as const)
    const status = Number(headers.find(([name]) => name === 'Status')?.[1].split(' ')[0] ?? 200)
    res.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')))
    res.write(head.subarray(end + 4))
  })
  child.stdout!.on('end', () => res.end())
}
