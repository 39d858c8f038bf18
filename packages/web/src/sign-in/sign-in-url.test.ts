import { expect, it } from 'vitest'
import { keyInUrl, pathWithoutKey } from './sign-in-url.ts'

it('a link signs in with its code or its token; an event in the address of a run is neither', () => {
  expect(keyInUrl('#code=K7QF2M9XTB')).toEqual({ code: 'K7QF2M9XTB' })
  expect(keyInUrl('#token=fh_abc')).toEqual({ token: 'fh_abc' })
  for (const other of ['', '#', '#e42', '#code=', '#decode=x']) expect(keyInUrl(other)).toBeNull()
})

it('no key stays in the address', () => {
  expect(pathWithoutKey('/in')).toBe('/')
  expect(pathWithoutKey('/runs/run_1')).toBe('/runs/run_1')
})
