import type { RunAddress } from '@farhand/protocol/wire/routes'
import { expect, it } from 'vitest'
import { withPlacement } from './current-placement.ts'

const known = { url: 'http://h', token: 't', at: {} as RunAddress, agent: 'a', workspace: '/w' }

it('a run that was on its way here when a process died is here if the hub says so, and one that left is not', () => {
  const coming = { ...known, sandbox: 'auto', cameFrom: 'auto' }
  expect(withPlacement(coming, 'none')).toEqual({ ...known, cameFrom: 'auto' })
  expect(withPlacement(coming, 'auto')).toBe(coming)
  expect(withPlacement(known, 'bubblewrap')).toEqual({ ...known, sandbox: 'bubblewrap' })
})

it('a run that works on another device, or whose hub has no word for it, is left as it is known', () => {
  const linked = { ...known, sandbox: 'auto' }
  for (const place of ['none', 'auto', null]) expect(withPlacement(linked, place)).toBe(linked)
  for (const place of ['none', null]) expect(withPlacement(known, place)).toBe(known)
})
