import { expect, it } from 'vitest'
import { RegisterCallback } from './api.ts'

it('W14 a callback has an address and a secret of a sensible length', () => {
  const register = (callback: object) =>
    RegisterCallback.safeParse({
      type: 'register_callback',
      callbacks: [{ url: 'https://a.example/', events: ['done'], ...callback }],
    }).error?.issues[0]?.path.join('.')
  expect(register({ secret: 's'.repeat(500) })).toBeUndefined()
  expect(register({ secret: 's'.repeat(501) })).toBe('callbacks.0.secret')
  expect(register({ url: `https://a.example/${'x'.repeat(1982)}` })).toBeUndefined()
  expect(register({ url: `https://a.example/${'x'.repeat(1983)}` })).toBe('callbacks.0.url')
  expect(register({ url: 'file:///etc/passwd' })).toBe('callbacks.0.url')
  expect(register({ events: Array(21).fill('done') })).toBe('callbacks.0.events')
})
