import { posix, win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pathProblem } from './path-problem.ts'
import { WorkspacePath } from './workspace-path.ts'

const good = (path: string) => expect(pathProblem(path), JSON.stringify(path)).toBeNull()
const bad = (path: string, about: RegExp) => expect(pathProblem(path), JSON.stringify(path)).toMatch(about)

describe('a path inside a workspace', () => {
  it('S10 may have any name that a disk can hold', () => {
    for (const path of [
      'README.md',
      'src/deep/er/file.test.ts',
      '.github/workflows/ci.yml',
      '.gitignore',
      'a/.gitmodules',
      '.gitx',
      'git',
      'git~10',
      'x.git',
      'with space/ and more ',
      'line\nfeed\tand\u0001control',
      '...',
      'trailing.',
      'emoji/\u{1f98a}\u200d\u{1f9ba}.txt',
      'caf\u00e9',
      'ab:c',
      'back\\slash',
      'dash-/--/-x',
    ])
      good(path)
  })

  it('S10 is relative', () => {
    bad('', /a path/)
    bad('/etc/passwd', /empty part/)
    bad('//server/share', /empty part/)
    bad('\\windows', /empty part/)
    bad('\\\\server\\share', /empty part/)
    bad('C:/windows', /drive/)
    bad('c:windows', /drive/)
    bad('C:\\windows', /drive/)
  })

  it('S10 has no part that is empty, . or ..', () => {
    for (const path of ['a//b', 'a/', 'a\\\\b', 'a\\']) bad(path, /empty part/)
    for (const path of ['.', '..', 'a/../b', 'a/./b', '../a', 'a/..', 'a\\..\\b', '.. ', 'a/.. /b', '. '])
      bad(path, /\. or \.\./)
  })

  it('S10 has no part that some file system takes for .git', () => {
    for (const path of [
      '.git',
      '.git/config',
      'a/.GIT/hooks/x',
      'a/.Git',
      '.git ',
      '.git.',
      '.git. . ',
      'a/.git /x',
      'git~1',
      'GIT~1/config',
      '.g\u200cit/config',
      '.git\u200d',
      '\ufeff.git',
      '.g\u00adi\u2060t',
      '.git::$INDEX_ALLOCATION/config',
      '.git:stream',
      'a\\.git\\config',
      'a\\GIT~1',
    ])
      bad(path, /\.git/)
  })

  it('S10 is NFC and whole Unicode without NUL', () => {
    bad('cafe\u0301', /NFC/)
    bad('a\0b', /NUL/)
    bad('a\ud800', /surrogate/)
    bad('\udc00a', /surrogate/)
  })

  it('S10 fits a disk: 255 bytes a part, 4096 in all', () => {
    good('x'.repeat(255))
    bad('x'.repeat(256), /255/)
    good(`a/${'\u00e9'.repeat(127)}`)
    bad(`a/${'\u00e9'.repeat(128)}`, /255/)
    const longest = `${`${'x'.repeat(255)}/`.repeat(15)}${'y'.repeat(127)}/${'z'.repeat(128)}`
    expect(longest.length).toBe(4096)
    good(longest)
    bad(`${longest}z`, /4096/)
  })

  it('S10 is refused with what was wrong', () => {
    const result = WorkspacePath.safeParse('../secret')
    expect(result.error?.issues[0]?.message).toBe('expected no part that is . or ..')
    expect(WorkspacePath.safeParse(7).success).toBe(false)
  })

  it('S10 stays below the workspace on every system, for any input', () => {
    const nasty = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '.git',
      ' ',
      ':',
      'c',
      '\u200d',
      '~1',
      'git',
      'G',
      'é',
      '\n',
    )
    const anything = fc.oneof(
      fc.array(nasty, { maxLength: 10 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(anything, (path) => {
        if (pathProblem(path)) return
        expect(posix.join('/some/space', path).startsWith('/some/space/')).toBe(true)
        expect(posix.normalize(path)).toBe(path)
        expect(win32.resolve('D:\\work\\space', path).startsWith('D:\\work\\space\\')).toBe(true)
        expect(path.split(/[\\/]/).map((part) => part.toLowerCase())).not.toContain('.git')
      }),
      { numRuns: 5_000 },
    )
  })
})
