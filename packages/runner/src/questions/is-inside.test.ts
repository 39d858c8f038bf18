import { describe, expect, it } from 'vitest'
import { isInside } from './is-inside.ts'

const inside = (path: string, folder = '/home/me/work') => isInside(path, folder)

describe('a path that an agent names', () => {
  it('is inside the workspace, written whole or from there', () => {
    for (const path of [
      '/home/me/work/a',
      'a',
      './a/b',
      'a/../b',
      '/home/me/work//a/./b',
      '/home/me/work/a b',
    ])
      expect(inside(path), path).toBe(true)
    expect(inside('a', '/home/me/work/')).toBe(true)
    expect(inside('C:\\work\\a.ts', 'C:\\work')).toBe(true)
    expect(inside('src\\a.ts', 'C:\\work')).toBe(true)
  })

  it('is not inside when it leaves the workspace, or is the workspace', () => {
    for (const path of [
      '/home/me/work',
      '.',
      '..',
      '../work2/a',
      '/home/me/work2',
      '/home/me/work/../a',
      '/a',
    ])
      expect(inside(path), path).toBe(false)
    expect(inside('../../../../../home/me/work/a')).toBe(false)
    expect(inside('D:\\work\\a.ts', 'C:\\work')).toBe(false)
  })

  it('is not inside when it cannot be judged', () => {
    for (const path of ['', '~/a', 'file:///home/me/work/a', 'a\0b', 'https://x/a']) {
      expect(inside(path), JSON.stringify(path)).toBe(false)
    }
  })

  it('is not inside when it is in what git runs by', () => {
    for (const path of ['.git/config', 'sub/.git/hooks/x', '/home/me/work/.GIT/config', 'a/../.git/x'])
      expect(inside(path), path).toBe(false)
    expect(inside('.gitignore')).toBe(true)
    expect(isInside('/home/me/.git/work/a', '/home/me/.git/work')).toBe(true)
  })
})
