import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onLoopback } from './on-loopback.ts'

/** A message that arrived at a browser: its decrypted content, and the headers for the push service. */
export type Pushed = { said: unknown; headers: IncomingHttpHeaders; status: number }

type Browser = { ecdh: ReturnType<typeof createECDH>; auth: Buffer }

/** A push service on loopback with its own browsers, which decrypt messages as RFC 8291 says, and check their sender. */
export class FakePush {
  readonly origin: string
  readonly close: () => Promise<void>
  readonly #browsers = new Map<string, Browser>()
  readonly #arrived: Pushed[] = []
  readonly #waiting: ((pushed: Pushed) => void)[] = []
  /** The statuses for the next messages, one after the other; then 201. */
  readonly statuses: number[] = []

  private constructor(at: { url: string; close: () => Promise<void> }) {
    this.origin = at.url
    this.close = at.close
  }

  static async start(): Promise<FakePush> {
    const server = createServer()
    const service = new FakePush(await onLoopback(server))
    server.on('request', (req, res) => {
      const parts: Buffer[] = []
      req.on('data', (part: Buffer) => parts.push(part))
      req.on('end', () => {
        const status = service.#take(req.url ?? '', req.headers, Buffer.concat(parts))
        res.writeHead(status).end()
      })
    })
    return service
  }

  /** A new browser's subscription, as the browser sends it to its hub. */
  subscribe(): { endpoint: string; keys: { p256dh: string; auth: string } } {
    const ecdh = createECDH('prime256v1')
    const p256dh = ecdh.generateKeys().toString('base64url')
    const auth = randomBytes(16)
    const path = `/push/${randomBytes(8).toString('hex')}`
    this.#browsers.set(path, { ecdh, auth })
    return { endpoint: `${this.origin}${path}`, keys: { p256dh, auth: auth.toString('base64url') } }
  }

  /** Waits for the next message to any browser. */
  next(): Promise<Pushed> {
    const pushed = this.#arrived.shift()
    return pushed ? Promise.resolve(pushed) : new Promise((resolve) => this.#waiting.push(resolve))
  }

  #take(path: string, headers: IncomingHttpHeaders, body: Buffer): number {
    const browser = this.#browsers.get(path)
    const isKnown = browser !== undefined && isSignedFor(this.origin, headers.authorization ?? '')
    const status = isKnown ? (this.statuses.shift() ?? 201) : 403
    const said: unknown = browser ? JSON.parse(unsealed(body, browser)) : null
    const pushed = { said, headers, status }
    const waiting = this.#waiting.shift()
    if (waiting) waiting(pushed)
    else this.#arrived.push(pushed)
    return status
  }
}

/** Whether the token is signed by the key beside it, for this service, and has not expired (RFC 8292). */
function isSignedFor(origin: string, authorization: string): boolean {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  if (point.length !== 65) return false
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x!, y: y! } })
  const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}')
  const isFor = aud === origin && exp > Date.now() / 1000 && /^(https|mailto):/.test(sub)
  return isFor && verify('sha256', Buffer.from(`${head}.${claims}`), by, Buffer.from(signature, 'base64url'))
}

/** The one record of a message in `aes128gcm` (RFC 8188), with the keys that RFC 8291 derives. */
function unsealed(body: Buffer, { ecdh, auth }: Browser): string {
  const salt = body.subarray(0, 16)
  const sender = body.subarray(21, 21 + body[20]!)
  const sealed = body.subarray(21 + sender.length)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender, Buffer.from([1])])
  const material = hmac(hmac(auth, ecdh.computeSecret(sender)), info)
  const secret = hmac(salt, material)
  const key = hmac(secret, 'Content-Encoding: aes128gcm\0\x01').subarray(0, 16)
  const nonce = hmac(secret, 'Content-Encoding: nonce\0\x01').subarray(0, 12)
  const cipher = createDecipheriv('aes-128-gcm', key, nonce)
  cipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8')
}

const hmac = (key: Buffer, text: Buffer | string) => createHmac('sha256', key).update(text).digest()
