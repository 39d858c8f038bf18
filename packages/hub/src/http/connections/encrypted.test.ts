import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { isEncrypted } from './encrypted.ts'

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage
const https = 'https://hub.example'
const near = '127.0.0.1'
const far = '192.0.2.7'

it.each([
  ['from the machine of the hub', from(near), undefined],
  ['over the local socket', from(undefined), undefined],
  ['through a proxy that says https', from(near, { 'x-forwarded-proto': 'https' }), undefined],
  ['through a proxy elsewhere that says https', from(far, { 'x-forwarded-proto': 'https' }), https],
  ['through a proxy that says nothing, for a public https URL', from(near), https],
  ['through a proxy elsewhere that passes the host on', from(far, { host: 'hub.example' }), https],
  ['from a page that was loaded by https', from(near, { origin: https, 'x-forwarded-for': far }), undefined],
])('W72 a password is taken %s', (_, req, publicUrl) => {
  expect(isEncrypted(req, publicUrl)).toBe(true)
})

it.each([
  ['from another machine', from(far), undefined],
  ['from another machine, past the proxy', from(far, { host: '192.0.2.1:7717' }), https],
  ['through a proxy that was reached by http', from(near, { 'x-forwarded-proto': 'http' }), https],
  ['through a proxy that says http last', from(far, { 'x-forwarded-proto': 'https, http' }), https],
  ['through a proxy, for a public http URL', from(near), 'http://hub.lan'],
  ['through a proxy that is in no setting', from(near, { 'x-forwarded-for': far }), undefined],
])('W72 a password is not taken %s', (_, req, publicUrl) => {
  expect(isEncrypted(req, publicUrl)).toBe(false)
})
