import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { connect as secured } from 'node:tls'
import { trimEndChars } from '@farhand/kit/trim-end-chars'
import { urlDestination } from './destination.ts'
import { basic, type Credential } from './git-proxy.ts'
import type { Rules } from './may-connect.ts'
import { type Lookup, lookupHere, OutsideConnections } from './outside-connections.ts'

export type LookOptions = {
  /** The address of the repository, and its branch or tag, as the user wrote them. */
  url: string
  ref?: string | undefined
  rules: Rules
  credentialFor: (repository: string) => Promise<Credential | null>
  /** How long the remote may take; after that the result is unknown. */
  patienceMs?: number
  lookup?: Lookup
}

const advertised = 'application/x-git-upload-pack-advertisement'

/** Why it is wrong, and whether the address or the branch or tag is wrong. */
export type Wrong = { of: 'url' | 'ref'; why: string }

/** A longer list of branches and tags is not read to its end. */
const mostListed = 4 * 1024 * 1024

/**
 * Why the user cannot begin from this repository, if the remote or the name server says so. Null if it exists, and also if that is unknown
 * now: a remote that is down for a minute is not a wrong address.
 */
export async function wrongRepository(options: LookOptions): Promise<Wrong | null> {
  const { url, ref, rules, credentialFor, patienceMs = 5_000, lookup = lookupHere } = options
  if (!URL.canParse(url)) return null
  const asked = new URL(`${trimEndChars(url, '/')}/info/refs?service=git-upload-pack`)
  const to = urlDestination(asked)
  if (!to) return null
  let isNoHost = false
  const reach = new OutsideConnections({
    rules,
    refused: () => {},
    lines: { take: () => true, isFull: () => false },
    lookup: (host) =>
      lookup(host).catch((error: NodeJS.ErrnoException) => {
        isNoHost = error.code === 'ENOTFOUND'
        throw error
      }),
    connectMs: patienceMs,
  })
  const credential = await credentialFor(url)
  const socket = await reach.to(to, reach.mayNamed(to))
  if ('status' in socket) return isNoHost ? { of: 'url', why: `There is no host called ${to.host}.` } : null
  try {
    const answer = await ask(asked, socket, credential, patienceMs)
    const why = answer && whyNot(url, answer, credential !== null)
    if (why) return { of: 'url', why }
    const listed = answer && ref !== undefined && isName(ref) ? await listedIn(answer) : null
    const isThere = listed === null || hasRef(listed, ref!)
    return isThere ? null : { of: 'ref', why: `There is no branch or tag called ${ref} in ${url}.` }
  } finally {
    socket.destroy()
  }
}

/** Whether it is a branch or tag name. Commit hashes and expressions such as `main~2` are not in the remote's list. */
const isName = (ref: string) => /^[\w./-]+$/.test(ref) && !/^[0-9a-f]{4,64}$/i.test(ref)

/** Finds a branch or tag as git does in a clone: by its whole name or by the end of it. */
function hasRef(listed: string, ref: string): boolean {
  const name = ref.replace(/^(refs\/remotes\/)?origin\//, '')
  if (name === 'HEAD') return true
  const names = [...listed.matchAll(/[0-9a-f]{40,64} (refs\/[^\0\n]+)/g)].map(([, found]) => found!)
  return names.some((found) => found === name || found.endsWith(`/${name}`))
}

/** The list of branches and tags in git's protocol version 0; null if it is incomplete. */
async function listedIn(answer: IncomingMessage): Promise<string | null> {
  if (answer.statusCode !== 200 || !answer.headers['content-type']?.startsWith(advertised)) return null
  let text = ''
  try {
    for await (const piece of answer.setEncoding('utf8')) {
      text += piece
      if (text.length > mostListed) return null
    }
  } catch {
    // The connection broke or took too long.
    return null
  }
  // Without this end it is another protocol version.
  return text.includes('# service=git-upload-pack') && text.endsWith('0000') ? text : null
}

function whyNot(url: string, answer: IncomingMessage, hasCredential: boolean): string | null {
  const { statusCode: status = 0, headers } = answer
  if (status === 404 || status === 410) return `There is no repository at ${url}.`
  if (status === 401 || status === 403)
    return hasCredential
      ? `${url} does not accept the credential that the project has for it.`
      : `There is no repository at ${url}, or it wants a credential, and the project has none for it.`
  const type = headers['content-type'] ?? ''
  const isPage = status === 200 && !type.startsWith(advertised) && type.startsWith('text/html')
  return isPage ? `There is a web page at ${url}, and no git repository.` : null
}

/** The response with its headers; null if there was none in time. */
function ask(
  url: URL,
  socket: Socket,
  credential: Credential | null,
  patienceMs: number,
): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    const { hostname } = url
    const sent = request({
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        connection: 'close',
        'user-agent': 'git/farhand',
        ...(credential && { authorization: `Basic ${basic(credential)}` }),
      },
      signal: AbortSignal.timeout(patienceMs),
      createConnection: () =>
        url.protocol === 'https:'
          ? secured({ socket, servername: hostname.replace(/^\[|\]$/g, ''), ALPNProtocols: ['http/1.1'] })
          : socket,
    })
    sent.on('response', (answer) => {
      answer.on('error', () => {})
      resolve(answer)
    })
    sent.on('error', () => resolve(null))
    sent.end()
  })
}
