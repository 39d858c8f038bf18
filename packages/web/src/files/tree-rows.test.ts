import { expect, it } from 'vitest'
import { treeRows } from './tree-rows.ts'

const files = [
  'src/web/files/a.ts',
  'src/web/files/b.ts',
  'src/z.ts',
  'README.md',
  'docs/deep/down/x.md',
].map((path) => ({ path }))
const shown = (isOpen: (folder: string) => boolean) =>
  treeRows(files, isOpen).map(({ name, depth }) => `${'  '.repeat(depth)}${name}`)

it('a tree shows folders before files, and a folder with nothing but a folder in it as one', () => {
  expect(shown(() => true)).toEqual([
    'docs/deep/down',
    '  x.md',
    'src',
    '  web/files',
    '    a.ts',
    '    b.ts',
    '  z.ts',
    'README.md',
  ])
})

it('a folder that is shut says how many files are in it, and shows none', () => {
  const rows = treeRows(files, (folder) => folder !== 'src')
  expect(rows.map(({ name }) => name)).toEqual(['docs/deep/down', 'x.md', 'src', 'README.md'])
  expect(rows[2]).toMatchObject({ is: 'folder', path: 'src', isOpen: false, count: 3 })
})
