import { describe, expect, it } from 'vitest'
import { isInside } from './is-inside.ts'

const inside = (path: string, folder = '/home/me/code') => isInside(path, folder)

describe('a path that an agent names', () => {
  it('is inside the workspace, written whole or from there', () => {
    for (const path of [
      '/home/me/code/a',
      'a',
      './a/b',
      'a/../b',
      '/home/me/code//a/./b',
      '/home/me/code/a b',
    ])
      expect(inside(path), path).toBe(true)
    expect(inside('a', '/home/me/code/')).toBe(true)
    expect(inside('C:\\work\\a.ts', 'C:\\work')).toBe(true)
    expect(inside('src\\a.ts', 'C:\\work')).toBe(true)
  })

  it('is not inside when it leaves the workspace, or is the workspace', () => {
    for (const path of [
      '/home/me/code',
      '.',
      '..',
      '../work2/a',
      '/home/me/code2',
      '/home/me/code/../a',
      '/a',
    ])
      expect(inside(path), path).toBe(false)
    expect(inside('../../../../../home/me/code/a')).toBe(false)
    expect(inside('D:\\work\\a.ts', 'C:\\work')).toBe(false)
  })

  it('is not inside when it cannot be judged', () => {
    for (const path of ['', '~/a', 'file:///home/me/code/a', 'a\0b', 'https://x/a']) {
      expect(inside(path), JSON.stringify(path)).toBe(false)
    }
  })

  it('is not inside when it is in what git runs by', () => {
    for (const path of ['.git/config', 'sub/.git/hooks/x', '/home/me/code/.GIT/config', 'a/../.git/x'])
      expect(inside(path), path).toBe(false)
    expect(inside('.gitignore')).toBe(true)
    expect(isInside('/home/me/.git/code/a', '/home/me/.git/code')).toBe(true)
  })
})
