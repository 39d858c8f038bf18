import { expect, it } from 'vitest'
import { unwritableFolderNotes } from './open-linked-disk.ts'

const refusing = (code: string) => () => {
  throw Object.assign(new Error(code), { code })
}

it.each([
  ['EROFS', 'its disk is mounted read-only'],
  ['EACCES', 'this user may not write there'],
])('a folder that only gives is told of at the start: %s', (code, why) => {
  const [note] = unwritableFolderNotes('/here', refusing(code))
  expect(note).toMatchObject({ is: 'trouble', path: null, why: expect.stringContaining(why) })
})

it('one that can be written, or is gone, is not', () => {
  expect(unwritableFolderNotes('/here', () => {})).toEqual([])
  expect(unwritableFolderNotes('/here', refusing('ENOENT'))).toEqual([])
})
