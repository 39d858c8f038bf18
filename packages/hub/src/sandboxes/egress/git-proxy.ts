import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { connect as secured } from 'node:tls'
import { Fault } from '@farhand/protocol/wire/faults'
import { urlDestination } from './destination.ts'
import { type GitRequest, gitRequest, isListed, movedTo } from './git-request.ts'
import type { OutsideConnections } from './outside-connections.ts'
import { answerPlainly } from './plain-answer.ts'

export type Credential = { username: string; password: string }

export type GitProxyOptions = {
  reach: OutsideConnections
  /** The start of repository addresses that may be reached, with a credential, with any network setting of the run. */
  remotes: readonly string[]
  /** The credential for a repository. Called for each request; the result is not kept. */
  credentialFor: (repository: string) => Promise<Credential | null>
}

const toRemote = ['accept', 'accept-encoding', 'accept-language', 'content-encoding', 'content-type']
const alsoToRemote = ['git-protocol', 'user-agent', 'content-length', 'pragma', 'cache-control']
// Other response headers are dropped, as they might repeat the credential.
const fromRemote = [
  'content-type',
  'content-length',
  'content-encoding',
  'cache-control',
  'expires',
  'pragma',
]
const mostWords = 4_096

/** Forwards git's requests to a repository and adds a credential that the sandbox never sees. False: this is no git request. */
export function gitProxy(options: GitProxyOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
  return (req, res) => {
    if (!req.url?.startsWith('/git/')) return false
    const asked = gitRequest(req.method ?? '', req.url)
    if (asked) {
      passOn(options, asked, req, res).catch((error: NodeJS.ErrnoException) =>
        answerPlainly(res, { status: 502, words: `Farhand: ${asked.repository}: ${whyOf(error)}` }),
      )
    } else
      answerPlainly(res, { status: 403, words: 'Farhand: only git fetch and git push lead through here.' })
    return true
  }
}

async function passOn(
  { reach, remotes, credentialFor }: GitProxyOptions,
  { url, repository }: GitRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const to = urlDestination(url)
  const listed = isListed(remotes, repository)
  if (!to || (!listed && reach.may(to) === 'refused')) {
    const words = `Farhand: ${repository} is not among the repositories of this run.`
    return answerPlainly(res, { status: 403, words })
  }
  const credential = listed ? await credentialFor(repository) : null
  const there = await reach.to(to, listed ? reach.mayNamed(to) : reach.may(to))
  if ('status' in there) return answerPlainly(res, there)
  if (res.destroyed) return void there.destroy()
  const sent = ask(url, req, there, credential)
  res.on('close', () => sent.destroy())
  sent.on('error', (error: NodeJS.ErrnoException) =>
    answerPlainly(res, { status: 502, words: `Farhand: ${repository}: ${error.code ?? error.message}` }),
  )
  sent.on('response', (answer) => {
    const { statusCode: status = 502 } = answer
    if (status < 300) {
      res.writeHead(status, kept(answer, fromRemote))
      pipeline(answer, res, () => {})
    } else if (status < 400) moved(url, repository, answer, res)
    else void refused(repository, answer, res, credential)
  })
  req.pipe(sent)
}

function ask(url: URL, req: IncomingMessage, there: Socket, credential: Credential | null): ClientRequest {
  const headers: Record<string, string> = { ...kept(req, [...toRemote, ...alsoToRemote]), host: url.host }
  headers.connection = 'close'
  if (credential) headers.authorization = `Basic ${basic(credential)}`
  if ('transfer-encoding' in req.headers) headers['transfer-encoding'] = 'chunked'
  const { hostname } = url
  return request({
    method: req.method!,
    path: `${url.pathname}${url.search}`,
    headers,
    createConnection: () =>
      url.protocol === 'https:'
        ? secured({
            socket: there,
            servername: hostname.replace(/^\[|\]$/g, ''),
            ALPNProtocols: ['http/1.1'],
          })
        : there,
  })
}

function moved(url: URL, repository: string, answer: IncomingMessage, res: ServerResponse): void {
  answer.resume()
  const location = movedTo(url, answer.headers.location ?? '')
  if (location) {
    res.writeHead(answer.statusCode!, { location, 'content-length': 0 })
    res.end()
    return
  }
  const words = `Farhand: ${repository} has moved to another host, which its credential must not follow. List that one.`
  answerPlainly(res, { status: 502, words })
}

/** A `Fault` says what to do. Other error texts may reveal more than the sandbox should know. */
const whyOf = (error: NodeJS.ErrnoException) =>
  error instanceof Fault ? error.message : (error.code ?? 'failed')

/** Reports a refusal by the remote. A 401 becomes 403, as git would ask for a username and password, which no process inside has. */
async function refused(
  repository: string,
  answer: IncomingMessage,
  res: ServerResponse,
  credential: Credential | null,
): Promise<void> {
  const { statusCode: status = 502 } = answer
  const said = await wordsOf(answer, credential)
  const why =
    status !== 401
      ? `the remote answered ${status}`
      : credential
        ? 'the remote does not accept the credential that the project has for it'
        : 'the remote wants a credential, and the project has none for it'
  const words = `Farhand: ${repository}: ${why}.${said === '' ? '' : `\n${said}`}`
  answerPlainly(res, { status: status === 401 ? 403 : status, words })
}

async function wordsOf(answer: IncomingMessage, credential: Credential | null): Promise<string> {
  const isText =
    answer.headers['content-type']?.startsWith('text/plain') && !answer.headers['content-encoding']
  let said = ''
  try {
    for await (const piece of answer) {
      if (said.length < mostWords) said += String(piece)
      else break
    }
  } catch {
    // The connection broke: the text so far matters little, as the status is known.
  }
  // Shortened only after this: half a password would not be found.
  const secrets = credential ? [basic(credential), credential.password] : []
  const clean = secrets.reduce(
    (text, secret) => (secret === '' ? text : text.replaceAll(secret, '***')),
    said,
  )
  return isText ? clean.slice(0, mostWords).trim() : ''
}

/** The value for HTTP Basic authentication. */
export const basic = ({ username, password }: Credential) =>
  Buffer.from(`${username}:${password}`).toString('base64')

function kept({ headers }: IncomingMessage, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, headers[name]] as const)
  return Object.fromEntries(found.filter((one): one is [string, string] => typeof one[1] === 'string'))
}
