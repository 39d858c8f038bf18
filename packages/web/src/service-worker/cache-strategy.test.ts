import { describe, expect, it } from 'vitest'
import { cacheStrategy } from './cache-strategy.ts'

const here = 'https://hub.example'
const kept = new Set(['/', '/assets/index-1.js'])
const ask = (path: string, more: { method?: string; mode?: string } = {}) =>
  cacheStrategy({ method: 'GET', mode: 'cors', url: new URL(path, here).href, ...more }, here, kept)

describe('requests that are answered without the hub', () => {
  it('every page of the app is its one page', () => {
    for (const path of ['/', '/runs', '/runs/run_1', '/runs/run_1/files?x=1', '/new', '/settings', '/in'])
      expect(ask(path, { mode: 'navigate' }), path).toBe('shell')
  })

  it('responses of the API of the hub are never cached, not even when opened in a tab', () => {
    for (const path of ['/api/runs', '/api/me', '/files/sha256_1', '/metrics', '/newest', '/inside']) {
      expect(ask(path, { mode: 'navigate' }), path).toBe('network')
      expect(ask(path), path).toBe('network')
    }
  })

  it('files of the build are kept, and those of the build before are looked for', () => {
    expect(ask('/assets/index-1.js')).toBe('kept')
    expect(ask('/assets/index-2.js')).toBe('older')
    expect(ask('/assets/index-1.js', { method: 'POST' })).toBe('network')
    expect(ask('https://elsewhere.example/assets/index-1.js')).toBe('network')
  })
})
