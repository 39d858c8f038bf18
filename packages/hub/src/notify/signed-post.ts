import { createHmac } from 'node:crypto'
import { type Answered, outboundPost } from './outbound-post.ts'

/** A call of a web hook: `id` names what it is about, so that a receiver that gets it twice can tell. */
type Call = { id: string; about: Record<string, unknown> }

/** Posts to a web hook (W14). */
export function signedPost(
  { url, secret }: { url: string; secret?: string | null | undefined },
  { id, about }: Call,
  { allowPrivate, signal }: { allowPrivate: boolean; signal: AbortSignal },
): Promise<Answered> {
  const body = JSON.stringify(about)
  const at = String(Math.floor(Date.now() / 1000))
  const headers = {
    'Content-Type': 'application/json',
    'Farhand-Event-Id': id,
    'Farhand-Timestamp': at,
    ...(secret && { 'Farhand-Signature': `sha256=${signed(secret, at, body)}` }),
  }
  return outboundPost({ url, headers, body }, { allowPrivate, allowPlain: true, signal })
}

/** The signature covers the time, so that the receiver can refuse a captured call that is sent again later. */
const signed = (secret: string, at: string, body: string) =>
  createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
