import { FileEntry } from '@farhand/protocol/methods/files'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { expect, it } from 'vitest'
import { ManyChanges } from './many-changes.ts'

const change = (is: 'sent' | 'applied', path: string, deed: 'created' | 'deleted' = 'created') => ({
  is,
  path: WorkspacePath.parse(path),
  deed,
  eventId: 1,
  by: null,
})

const entry = FileEntry.parse({ mode: '100644', hash: `sha256_${'a'.repeat(64)}` })
const gaveWay = { entry, why: 'overruled', eventId: 1 } as const
const lost = { kind: 'runner', generation: 1 } as const
const conflict = { ...gaveWay, here: 'lost', lost, won: null, isGone: false } as const

function told(act: (changes: ManyChanges) => void): string[] {
  const lines: string[] = []
  const changes = new ManyChanges(
    (line) => lines.push(line),
    ({ path }) => path,
  )
  act(changes)
  changes.tell()
  return lines
}

it('a few changes get a line each, at once', () => {
  const lines = told((changes) => {
    for (let n = 0; n < 8; n += 1) changes.add(change('sent', `a/${n}`))
  })
  expect(lines).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((n) => `a/${n}`))
})

it('a folder that is renamed is a few lines, with any content', () => {
  const lines = told((changes) => {
    for (let n = 0; n < 1000; n += 1) changes.add(change('sent', `old/${n % 10}/f${n}`, 'deleted'))
    for (let n = 0; n < 1000; n += 1) changes.add(change('sent', `new/deep/${n % 10}/f${n}`))
    changes.add(change('applied', 'top.txt'))
  })
  expect(lines.slice(8)).toEqual([
    '→ old/  992 more files deleted',
    '→ new/deep/  1,000 more files',
    '← 1 more file',
  ])
})

it('after a burst changes are told one by one again', () => {
  const lines = told((changes) => {
    for (let n = 0; n < 9; n += 1) changes.add(change('sent', `a/${n}`))
    changes.tell()
    changes.add(change('sent', 'b'))
  })
  expect(lines.slice(8)).toEqual(['→ a/  1 more file', 'b'])
})

it('S4 many conflicts are a few lines, and where to find the rest', () => {
  const lines = told((changes) => {
    for (let n = 0; n < 300; n += 1)
      changes.add({ is: 'conflict', path: WorkspacePath.parse(`src/f${n}`), ...conflict })
  })
  expect(lines.slice(8)).toEqual([
    '! src/  292 more files changed on both sides: `farhand history <path>` names every version',
  ])
})

it('S4 many versions that gave way here are told apart from conflicts, and each folder has a line', () => {
  const lines = told((changes) => {
    for (const folder of ['src', 'docs'])
      for (const one of [{ is: 'kept', ...gaveWay } as const, { is: 'conflict', ...conflict } as const])
        for (let n = 0; n < 20; n += 1) changes.add({ ...one, path: WorkspacePath.parse(`${folder}/f${n}`) })
  })
  expect(lines.slice(8)).toEqual([
    '! src/  12 more files gave way here and are kept: `farhand history <path>` names every version',
    '! src/  20 more files changed on both sides: `farhand history <path>` names every version',
    '! docs/  20 more files gave way here and are kept: `farhand history <path>` names every version',
    '! docs/  20 more files changed on both sides: `farhand history <path>` names every version',
  ])
})

it('a folder whose name would move the cursor is written like a string', () => {
  const lines = told((changes) => {
    for (let n = 0; n < 10; n += 1) changes.add(change('applied', `a\u001b[2J\nConnected/${n}`))
  })
  expect(lines.at(-1)).toBe('← "a\\u001b[2J\\nConnected/"  2 more files')
})
