import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { folderTree } from './folder-tree.ts'
import { editLocally, folderBefore, wrongAfter } from './local-edits.ts'

it('S15 a drill sees files that were lost, changed or have come back, also if all sides have the same wrong files', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'farhand-edits-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(path.join(root, 'src'))
  const write = (name: string, text: string) => writeFileSync(path.join(root, name), text)
  for (const name of ['README.md', 'run.sh', 'src/part-4.txt', 'src/part-5.txt', 'src/a file'])
    write(name, name)
  const was = folderBefore(root, folderTree(root))
  const wrong = () => wrongAfter(was, 1, folderTree(root))
  editLocally(root, 1)
  write('its own', 'affair')
  expect(wrong()).toEqual([])
  appendFileSync(path.join(root, 'src/part-5.txt'), '!')
  rmSync(path.join(root, 'src/a file'))
  write('src/part-4.txt', 'src/part-4.txt')
  chmodSync(path.join(root, 'run.sh'), 0o755)
  expect(wrong().sort()).toEqual([
    'run.sh is not what it was',
    'src/a file is gone',
    'src/part-4.txt came back',
    'src/part-5.txt is not what it was',
  ])
  editLocally(root, 1)
  expect(wrong()).toContain('README.md is not what it was')
})
