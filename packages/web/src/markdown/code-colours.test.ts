import { describe, expect, it } from 'vitest'
import { codeColours } from './code-colours.ts'
import { languageOf } from './use-line-colours.ts'

const inWords = (text: string, lang: string) =>
  codeColours(text, lang)?.map((line, nth) =>
    line.map(({ from, to, colour }) => `${colour} ${text.split('\n')[nth]!.slice(from, to)}`),
  )

describe('colours of code', () => {
  it('are given line by line', () => {
    expect(inWords("const a = 'b'\nreturn 12 // why", 'ts')).toEqual([
      ['word const', "text 'b'"],
      ['word return', 'number 12', 'comment // why'],
    ])
  })

  it('go on over the end of a line', () => {
    expect(inWords('/* one\n\ntwo */ let x', 'js')).toEqual([
      ['comment /* one'],
      [],
      ['comment two */', 'word let'],
    ])
  })

  it('do not overlap where one is within another, and end where the line ends', () => {
    const text = `say(\`a \${b ? 1 : "c"} d\`)\n<p class="x">`
    for (const [nth, line] of codeColours(text, 'tsx')!.entries())
      for (const [at, { from, to }] of line.entries()) {
        expect(from).toBeGreaterThanOrEqual(line[at - 1]?.to ?? 0)
        expect(to).toBeLessThanOrEqual(text.split('\n')[nth]!.length)
      }
  })

  // Each of these took from seconds to minutes: then this test is over its time.
  it('are left out if finding them would hold up the page', { timeout: 120_000 }, () => {
    for (const lang of ['c', 'cpp', 'csharp', 'arduino', 'ini', 'r', 'markdown'])
      for (const part of ['a b ', 'a\n', 'a.', '['])
        expect(codeColours(part.repeat(100_000 / part.length), lang)).toBe(null)
    const words = (length: number) => 'a '.repeat(length / 2)
    expect([codeColours(words(2000), 'c'), codeColours(`${words(2000)};${words(2002)}`, 'c')]).toEqual([
      [[]],
      null,
    ])
  })

  it('are left out in endlessly nested code, which does not throw', () => {
    for (const [part, lang] of [
      ['${', 'bash'],
      ['"#{', 'ruby'],
    ] as const)
      expect(codeColours(part.repeat(33_000), lang)).toBe(null)
  })

  it('are none in an unknown language', () => {
    expect(codeColours('a', 'nonesuch')).toBe(null)
  })

  it('belong to the language of a file, by its name', () => {
    const paths = ['src/a.test.ts', 'Makefile', 'x/.gitignore', 'README.MD', 'LICENSE', 'a.constructor']
    expect(paths.map(languageOf)).toEqual(['ts', 'makefile', '', 'md', '', 'constructor'])
  })
})
