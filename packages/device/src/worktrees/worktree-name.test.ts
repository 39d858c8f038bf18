import { expect, it } from 'vitest'
import { slugOf, worktreeName, worktreesFolder } from './worktree-name.ts'

it.each([
  ['Fix the failing test in parser.ts, please', 'fix-the-failing-test-in'],
  ['Übersetze das Menü', 'ubersetze-das-menu'],
  ['../../etc; rm -rf /', 'etc-rm-rf'],
  ['修复', 'run'],
  ['', 'run'],
  [undefined, 'run'],
  ['averyveryverylongword andanotherverylongword', 'averyveryverylongword-andanother'],
])('a worktree for %j is called %s', (prompt, slug) => {
  expect(slugOf(prompt)).toBe(slug)
})

it('worktrees lie beside their repository, and those of a worktree beside it', () => {
  expect(worktreesFolder('/src/tool')).toBe('/src/tool.worktrees')
  expect(worktreesFolder('/src/tool.worktrees/fix')).toBe('/src/tool.worktrees')
  expect(worktreeName('/src/tool.worktrees', 'fix', 1)).toEqual({
    root: '/src/tool.worktrees/fix',
    branch: 'farhand/fix',
  })
  expect(worktreeName('/src/tool.worktrees', 'fix', 2).branch).toBe('farhand/fix-2')
})
