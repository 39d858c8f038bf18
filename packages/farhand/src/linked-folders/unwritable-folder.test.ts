import { expect, it } from 'vitest'
import { stopTrouble } from './link-troubles.ts'
import { unwritableFolderNotes } from './unwritable-folder.ts'

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

const linked = {
  folder: '/my/project',
  at: { run: 'run_1' },
  wins: 'disk',
  memory: '/state/links/x/run_1',
} as const

it('what the system refuses is told with the name of the folder, not with numbers of ours', () => {
  const error = Object.assign(new Error("EROFS: read-only file system, open '/proc/self/fd/29/lock.ec5c'"), {
    code: 'EROFS',
  })
  const trouble = stopTrouble(error, linked, { link: 'farhand link /my/project', unlink: 'u', anew: 'a' })
  expect(trouble).toMatchObject({
    message: 'Stopped: the system says EROFS in /my/project.',
    nextStep:
      'That disk is mounted read-only: let it be written again; then `farhand link /my/project` goes on.',
  })
})

it('what was remembered of a folder and is gone is told as that, with how to link it anew', () => {
  const error = Object.assign(new Error('ENOENT'), { code: 'ENOENT', path: '/state/links/x/run_1/notes-2' })
  const trouble = stopTrouble(error, linked, { link: 'l', unlink: 'u', anew: 'farhand link here' })
  expect(trouble?.message).toContain('what was remembered of this folder is gone')
  expect(trouble?.nextStep).toContain('`farhand link here --run run_1` links it anew')
})
