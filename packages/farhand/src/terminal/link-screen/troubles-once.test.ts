import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { describe, expect, it } from 'vitest'
import { TroublesOnce } from './troubles-once.ts'

const trouble = (path: string | null, code?: string, why = `the system says ${code}`) =>
  ({ is: 'trouble', path, why, ...(code && { code }) }) as SyncNote
const applied = (path: string) => ({ is: 'applied', path, deed: 'created', by: null }) as SyncNote
const inStep = { is: 'in-step', files: 1, cursor: 1, waiting: 0, leftOut: 0, onlyHere: 0 } as SyncNote

function listening() {
  const said: string[] = []
  return { said, troubles: new TroublesOnce('/my/project', (line) => said.push(line)) }
}

describe('files that cannot be written', () => {
  it('S6 for want of room are told once, with what waits, however often that is tried', () => {
    const { said, troubles } = listening()
    for (const path of ['a', 'b', 'c', 'd', 'a', 'b'])
      expect(troubles.take(trouble(path, 'ENOSPC'))).toBe(true)
    troubles.tell()
    troubles.take(trouble('a', 'ENOSPC'))
    troubles.tell()
    expect(said).toEqual([
      '! No room left on the disk of /my/project: 4 files wait (a, b, c, ...). Free some space; they are tried again.',
    ])
    for (const path of ['a', 'b', 'c', 'd']) expect(troubles.take(applied(path))).toBe(false)
    expect(said.slice(1)).toEqual(['There is room again.'])
  })

  it.each([
    ['EACCES', 'This user may not write everywhere in /my/project'],
    ['EPERM', 'This user may not write everywhere in /my/project'],
    ['EROFS', 'The disk of /my/project is mounted read-only'],
  ])('S6 because the folder is closed to us are told once, and when that is over: %s', (code, why) => {
    const { said, troubles } = listening()
    for (const _ of [1, 2, 3]) {
      expect(troubles.take(trouble('b\n', code))).toBe(true)
      troubles.tell()
    }
    expect(said).toEqual([`! ${why}: 1 file waits ("b\\n"). Let it be written; what waits is tried again.`])
    troubles.take(applied('b\n'))
    expect(said.slice(1)).toEqual(['It can be written again.'])
  })

  it('are told again when another one waits, also in place of one that has come meanwhile', () => {
    const { said, troubles } = listening()
    for (const path of ['a', 'b']) troubles.take(trouble(path, 'EACCES'))
    troubles.tell()
    troubles.take(applied('a'))
    troubles.take(trouble('c', 'EACCES'))
    troubles.tell()
    expect(said.map((line) => /wait.*\)/.exec(line)?.[0])).toEqual(['wait (a, b)', 'wait (b, c)'])
    troubles.take(inStep)
    expect(said.at(-1)).toBe('It can be written again.')
  })
})

describe('other troubles', () => {
  it('have a line of their own, once until they are over or something else is wrong', () => {
    const { said, troubles } = listening()
    const eio = trouble('a', 'EIO')
    expect([eio, eio].map((note) => troubles.take(note))).toEqual([false, true])
    expect(troubles.take(trouble('b', 'EIO'))).toBe(false)
    expect(troubles.take(trouble('a', undefined, 'not the right bytes'))).toBe(false)
    expect(troubles.take(trouble(null, undefined, 'gone'))).toBe(false)
    expect(troubles.take(trouble(null, undefined, 'gone'))).toBe(true)
    for (const over of [applied('a'), inStep]) {
      troubles.take(eio)
      troubles.take(over)
      expect(troubles.take(eio)).toBe(false)
    }
    troubles.tell()
    expect(said).toEqual([])
  })
})
