import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { networkInterfaces } from 'node:os'
import { within } from '@farhand/kit/within'
import { isNearAddress, isPrivateAddress } from '../sandboxes/egress/is-private-address.ts'

export type Call = {
  url: string
  headers: Readonly<Record<string, string>>
  body: Buffer | string
}

/** The answer of the other server. Its text is not kept. */
export type Answered = { status: number; retryAfterMs: number }

/** The hub never calls this address, so a retry is useless. */
export class AddressRefused extends Error {}

type CallOptions = {
  /** Lets it call machines of the private network. */
  allowPrivate: boolean
  /** Lets it call public addresses without TLS, too. */
  allowPlain?: boolean
  signal?: AbortSignal
  timeoutMs?: number
  lookUp?: LookUp
}

type LookUp = (host: string) => Promise<LookupAddress[]>

const lookUpName: LookUp = (host) => lookup(host, { all: true })

/**
 * Posts to an address that a user gave. A user must not reach the hub's private network this way: the address has to be public, the
 * checked IP address is the one connected to, and redirects are not followed.
 */
export async function outboundPost(
  call: Call,
  { allowPrivate, allowPlain = allowPrivate, signal, timeoutMs = 15_000, lookUp = lookUpName }: CallOptions,
) {
  const url = new URL(call.url)
  if (url.protocol !== 'https:' && !(allowPlain && url.protocol === 'http:'))
    throw new AddressRefused('only https addresses are called')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const all = await lookUp(host)
  const own = ownAddresses()
  const isFine = ({ address }: { address: string }) =>
    allowPrivate || !(isPrivateAddress(address) || isNearAddress(address, own))
  const found = all.filter(isFine)
  const [first] = found
  if (!first) throw new AddressRefused(`${host} leads into a private network`)
  return await new Promise<Answered>((resolve, reject) => {
    const request = url.protocol === 'http:' ? requestHttp : requestHttps
    const asked = request(
      url,
      {
        method: 'POST',
        headers: { ...call.headers, 'Content-Length': Buffer.byteLength(call.body) },
        agent: false,
        timeout: timeoutMs,
        signal: AbortSignal.any([AbortSignal.timeout(2 * timeoutMs), ...(signal ? [signal] : [])]),
        lookup: (_host, { all: wantsAll }, take) =>
          wantsAll ? take(null, found) : take(null, first.address, first.family),
      },
      (answer) => {
        // The body is not needed, and it might never end.
        answer.destroy()
        resolve({ status: answer.statusCode ?? 0, retryAfterMs: seconds(answer.headers['retry-after']) })
      },
    )
    asked.once('timeout', () => asked.destroy(new Error('no answer')))
    asked.once('error', reject)
    asked.end(call.body)
  })
}

/** Why the hub never calls this address; null if that is not known before the call. */
export function whyAddressRefused(address: string, allowPrivate: boolean): string | null {
  const { protocol, hostname, username } = new URL(address)
  if (username !== '') return 'an address with a name and a password in it is not called'
  if (allowPrivate) return protocol === 'http:' || protocol === 'https:' ? null : 'expected an https address'
  if (protocol !== 'https:') return 'expected an https address'
  const host = hostname.replace(/^\[|\]$/g, '')
  const isLiteral = /^[\d.]+$/.test(host) || host.includes(':')
  return host === 'localhost' || (isLiteral && isPrivateAddress(host))
    ? 'an address of a private network is not called'
    : null
}

const lookUpMs = 3000

/**
 * Why a web hook would never be called; null if it may be. Web hooks may have public addresses without TLS. A name that cannot be
 * resolved now may be later.
 */
export async function whyWebHookRefused(
  address: string,
  allowPrivate: boolean,
  lookUp: LookUp = lookUpName,
): Promise<string | null> {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') return 'expected an http or https address'
  if (allowPrivate) return null
  const host = hostname.replace(/^\[|\]$/g, '')
  const lookingUp = lookUp(host).catch(() => [])
  const answer = await within(lookUpMs, lookingUp)
  const found = answer === 'late' ? [] : answer
  const own = ownAddresses()
  const isPrivate = ({ address }: LookupAddress) => isPrivateAddress(address) || isNearAddress(address, own)
  if (host !== 'localhost' && (found.length === 0 || !found.every(isPrivate))) return null
  return `${host} leads into a private network, which this hub does not call; its operator can allow that with --allow-private-calls`
}

const ownAddresses = () =>
  Object.values(networkInterfaces()).flatMap((some) => (some ?? []).map(({ address }) => address))

const seconds = (said: string | undefined) => (/^\d{1,5}$/.test(said ?? '') ? Number(said) * 1000 : 0)
