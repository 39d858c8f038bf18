import { expect, it } from 'vitest'
import { settingsMissed, settingsSeen } from './settings-fingerprints.ts'

it('what a hub was not started with is found by its name and value, which is in nothing that is kept', () => {
  const before = settingsSeen({ A: 'secret', B: 'same', D: 'only there', E: '' })
  expect(JSON.stringify(before)).not.toContain('secret')
  expect(Object.keys(before)).toEqual(['A', 'B', 'D'])
  const wanted = ['A', 'B', 'C', 'D', 'E']
  expect(settingsMissed(wanted, { A: 'other', B: 'same', C: 'new', E: '', F: 'x' }, before)).toEqual([
    'A',
    'C',
  ])
  expect(settingsMissed(wanted, {}, before)).toEqual([])
})
