import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@farhand/protocol/wire/faults'
import { type Exchange, header } from '../exchange/exchange.ts'
import { securityHeaders } from '../exchange/security-headers.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import type { WebFile } from '../hub-parts/web-app.ts'

/** The paths of the web app. All give the same page, which decides by itself what to show. */
export const webPaths = [
  '/',
  '/runs',
  '/runs/*',
  '/new',
  '/schedules',
  '/schedules/*',
  '/settings',
  '/settings/*',
  '/in',
]

/** Whether this may be a file of the app. An unknown path must not make the hub load or build the app. */
const isFile = (path: string) =>
  /^\/(assets\/)?[\w.-]+\.(js|css|svg|png|ico|webmanifest|woff2|txt)$/.test(path)

// Only the app's own script files run, and no inline scripts: text that an agent writes can never run as one.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  // Even with a bug in the app, the browser makes no script of a string. The `farhand` policy is for our service worker.
  "require-trusted-types-for 'script'",
  'trusted-types farhand',
].join('; ')

const pageGuards = {
  ...securityHeaders,
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** A page of the app. */
export async function getPage(parts: HubParts, { req, res }: Exchange): Promise<void> {
  const page = await parts.web.page()
  if ('missing' in page) sayMissing(res, page.missing)
  else send(page, req, res)
}

/** Any other file of the app. */
export async function getWebFile(parts: HubParts, { req, res }: Exchange): Promise<void> {
  const path = req.url!.split('?')[0]!
  const file = isFile(path) ? await parts.web.file(path) : null
  if (!file) throw new Fault('route.unknown', 'nothing is at this address; see /api/openapi.json')
  send(file, req, res)
}

function send(file: WebFile, req: IncomingMessage, res: ServerResponse): void {
  const accepted = header(req, 'accept-encoding') ?? ''
  const takes = (name: string) => new RegExp(`(^|[ ,])${name}($|[ ,;])(?!q=0(\\.0*)?($|[ ,]))`).test(accepted)
  const [encoding, body] =
    file.brotli && takes('br')
      ? ['br', file.brotli]
      : file.gzip && takes('gzip')
        ? ['gzip', file.gzip]
        : [null, file.bytes]
  const etag = `"${file.etag}${encoding === null ? '' : `-${encoding}`}"`
  const headers = {
    ...pageGuards,
    ETag: etag,
    Vary: 'Accept-Encoding',
    'Cache-Control': file.isForGood ? 'public, max-age=31536000, immutable' : 'no-cache',
  }
  const known = (header(req, 'if-none-match') ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (known.includes(etag)) {
    res.writeHead(304, headers)
    res.end()
    return
  }
  res.writeHead(200, {
    ...headers,
    'Content-Type': file.type,
    'Content-Length': body.length,
    ...(encoding !== null && { 'Content-Encoding': encoding }),
  })
  res.end(body)
}

/** Not an error status: a user opened the hub's address in a browser, and the hub works. */
function sayMissing(res: ServerResponse, why: string): void {
  const text = `This is a hub of Farhand. It is up and answering, but its web app is not there.\n${why}\n`
  res.writeHead(200, {
    ...pageGuards,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  })
  res.end(text)
}
