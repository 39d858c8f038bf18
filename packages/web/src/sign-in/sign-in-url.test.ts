import { expect, it } from 'vitest'
import { addressWithoutKey, keyInAddress } from './sign-in-url.ts'

it('a link signs in with its code or its token, and a place in a run is neither', () => {
  expect(keyInAddress('#code=K7QF2M9XTB')).toEqual({ code: 'K7QF2M9XTB' })
  expect(keyInAddress('#token=fh_abc')).toEqual({ token: 'fh_abc' })
  for (const other of ['', '#', '#e42', '#code=', '#decode=x']) expect(keyInAddress(other)).toBeNull()
})

it('no key stays in the address', () => {
  expect(addressWithoutKey('/in')).toBe('/')
  expect(addressWithoutKey('/runs/run_1')).toBe('/runs/run_1')
})
