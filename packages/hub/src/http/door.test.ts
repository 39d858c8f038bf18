import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { Door } from './door.ts'

const from = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage
const open = (door: Door, headers: Record<string, string>) => {
  try {
    door.check(from(headers))
    return true
  } catch {
    return false
  }
}

describe('the door', () => {
  const door = new Door({ host: '127.0.0.1', allowedHosts: ['Hub.Lan'], publicUrl: 'https://hub.example' })

  it('lets in what was sent to a name of ours, whatever the port', () => {
    for (const host of ['localhost:7717', '127.0.0.1', '[::1]:80', 'hub.lan', 'HUB.example:443']) {
      expect(open(door, { host }), host).toBe(true)
    }
  })

  it('keeps out a name that merely points here, as a rebound one does', () => {
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil', '', '192.0.2.1:7717']) {
      expect(open(door, { host }), host).toBe(false)
    }
    expect(open(door, {})).toBe(false)
  })

  it('lets pages of the same origin in and no others', () => {
    expect(open(door, { host: 'localhost:7717', origin: 'http://localhost:7717' })).toBe(true)
    expect(open(door, { host: 'localhost:7717', origin: 'http://localhost:9999' })).toBe(false)
    expect(open(door, { host: 'localhost:7717', origin: 'null' })).toBe(false)
    expect(open(door, { host: 'localhost:7717', origin: 'https://hub.example' })).toBe(true)
  })
})
