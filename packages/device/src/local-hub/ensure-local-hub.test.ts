import { expect, it } from 'vitest'
import { changedSettings, settingsFingerprints } from './ensure-local-hub.ts'

it('what a hub was not started with is found by its name and value, which is in nothing that is kept', () => {
  const before = settingsFingerprints({ A: 'secret', B: 'same', D: 'only there', E: '' })
  expect(JSON.stringify(before)).not.toContain('secret')
  expect(Object.keys(before)).toEqual(['A', 'B', 'D'])
  const wanted = ['A', 'B', 'C', 'D', 'E']
  expect(changedSettings(wanted, { A: 'other', B: 'same', C: 'new', E: '', F: 'x' }, before)).toEqual([
    'A',
    'C',
  ])
  expect(changedSettings(wanted, {}, before)).toEqual([])
})
