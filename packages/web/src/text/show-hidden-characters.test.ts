import { expect, it } from 'vitest'
import { showHiddenCharacters } from './show-hidden-characters.ts'

it('characters that turn others around or are invisible are written out', () => {
  expect(showHiddenCharacters('if (admin\u202e) {\u200b')).toBe('if (admin‹U+202E›) {‹U+200B›')
  expect(showHiddenCharacters('a\u0000b\nc')).toBe('a‹U+0000›b‹U+000A›c')
})

it('tabs, and letters of any script, stay as they are', () => {
  expect(showHiddenCharacters('\tשלום ü 漢 👍')).toBe('\tשלום ü 漢 👍')
})
