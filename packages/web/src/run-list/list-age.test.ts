import { describe, expect, it } from 'vitest'
import { listAge } from './list-age.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const fresh = { asOf: now, isLive: true, isLoading: false, trouble: null }

describe('the age of the list', () => {
  it('is not shown while the list is kept as usual', () => {
    expect(listAge(fresh, now)).toBeNull()
    expect(listAge({ ...fresh, isLoading: true }, now)).toBeNull()
  })

  it('is shown, with the reason, as soon as it is not', () => {
    const old = { ...fresh, isLive: false, asOf: now - 5 * 60_000 }
    expect(listAge(old, now)).toBe('No connection. Last updated 5 min ago.')
    expect(listAge({ ...old, trouble: 'Offline' }, now)).toBe('Offline. Last updated 5 min ago.')
    expect(listAge({ ...old, asOf: now }, now)).toBe('No connection. Last updated a moment ago.')
    expect(listAge({ ...old, asOf: now - 30 * 86_400_000 }, now)).toBe(
      'No connection. Last updated on 2025-12-02.',
    )
  })

  it('is unknown if nothing has arrived yet', () => {
    expect(listAge({ ...fresh, isLive: false, asOf: null, isLoading: true }, now)).toBe('Asking the hub.')
    expect(listAge({ ...fresh, isLive: false, asOf: null }, now)).toBe('No connection.')
  })
})
