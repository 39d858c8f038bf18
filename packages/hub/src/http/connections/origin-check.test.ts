import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { OriginCheck } from './origin-check.ts'

const from = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage
const open = (originCheck: OriginCheck, headers: Record<string, string>) => {
  try {
    originCheck.check(from(headers))
    return true
  } catch {
    return false
  }
}

describe('the origin check', () => {
  const originCheck = new OriginCheck({
    host: '127.0.0.1',
    allowedHosts: ['Hub.Lan'],
    publicUrl: 'https://hub.example',
  })

  it('lets in a request to one of the hub’s names, at any port', () => {
    for (const host of ['localhost:7717', '127.0.0.1', '[::1]:80', 'hub.lan', 'HUB.example:443']) {
      expect(open(originCheck, { host }), host).toBe(true)
    }
  })

  it('keeps out another name that resolves to this machine, as in DNS rebinding', () => {
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil', '', '192.0.2.1:7717']) {
      expect(open(originCheck, { host }), host).toBe(false)
    }
    expect(open(originCheck, {})).toBe(false)
  })

  it('lets pages of the same origin in and no others', () => {
    expect(open(originCheck, { host: 'localhost:7717', origin: 'http://localhost:7717' })).toBe(true)
    expect(open(originCheck, { host: 'localhost:7717', origin: 'http://localhost:9999' })).toBe(false)
    expect(open(originCheck, { host: 'localhost:7717', origin: 'null' })).toBe(false)
    expect(open(originCheck, { host: 'localhost:7717', origin: 'https://hub.example' })).toBe(true)
    expect(open(originCheck, { host: 'hub.example:7717', origin: 'http://hub.example:7717' })).toBe(true)
  })

  // For browsers all ports of a machine are one site: they send the cookie along, even if another program listens at that port.
  it('keeps out pages from another port of the same machine, as an agent may serve them', () => {
    const inNetwork = new OriginCheck({ host: '192.0.2.7', allowedHosts: ['hub.lan'] })
    expect(open(inNetwork, { host: '192.0.2.7:7717', origin: 'http://192.0.2.7:7717' })).toBe(true)
    expect(open(inNetwork, { host: '192.0.2.7:7717', origin: 'http://192.0.2.7:3000' })).toBe(false)
    expect(open(inNetwork, { host: '192.0.2.7:7717', origin: 'http://192.0.2.7' })).toBe(false)
    expect(open(inNetwork, { host: 'hub.lan:7717', origin: 'http://hub.lan:3000' })).toBe(false)
    expect(open(originCheck, { host: 'hub.example', origin: 'https://hub.example:3000' })).toBe(false)
    expect(open(originCheck, { host: 'hub.example', origin: 'http://hub.example' })).toBe(false)
    expect(open(originCheck, { host: 'localhost:7717', origin: 'http://hub.example:3000' })).toBe(false)
  })

  it('lets in a user who follows a link from any site, and no request that a page of another site makes', () => {
    const asked = (site: string, mode: string) => ({
      host: 'localhost:7717',
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
    })
    for (const site of ['same-origin', 'none']) expect(open(originCheck, asked(site, 'no-cors'))).toBe(true)
    for (const site of ['cross-site', 'same-site']) {
      expect(open(originCheck, asked(site, 'navigate'))).toBe(true)
      expect(open(originCheck, asked(site, 'no-cors'))).toBe(false)
    }
  })

  it('lets in pages through a proxy that sends another host than the browser asked for', () => {
    expect(open(originCheck, { host: 'localhost:7717', origin: 'https://hub.lan' })).toBe(true)
    const atPort = new OriginCheck({
      host: '127.0.0.1',
      allowedHosts: [],
      publicUrl: 'https://hub.example:8443/',
    })
    expect(open(atPort, { host: 'hub.example', origin: 'https://hub.example:8443' })).toBe(true)
  })
})
