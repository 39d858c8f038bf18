import { describe, expect, it } from 'vitest'
import { importGraph } from './import-graph.ts'
import { comparedWalks, walksInWords } from './measures-in-words.ts'
import type { Source } from './source.ts'
import { brokenHops, slipsIn, walkSizes, walksOf } from './walks.ts'

const place = (name: string) => `packages/hub/src/${name}.ts`
const listed = (number: number, name: string) => `${number}. [${place(name)}](${place(name)}) does it\n`
const file = (name: string, ...imports: string[]): Source => ({
  path: place(name),
  text: imports.map((one) => `import { x } from './${one}.ts'\n`).join(''),
})

const graph = importGraph([file('a', 'b'), file('b'), file('c', 'b'), file('d')])
const page = (...names: (string | null)[]) => {
  let number = 0
  const lines = names.map((name) => (name === null ? '\n> over HTTP\n\n' : listed(++number, name)))
  return `# Map\n\n1. Something else\n\n## A prompt\n\n${lines.join('')}\n## Other\n\n> a quote\n`
}
const broken = (text: string) => walksOf(text).flatMap((walk) => brokenHops(walk, graph))

describe('a walk', () => {
  it('is a section with a list of files, in stretches between crossings', () => {
    expect(walksOf(page('a', 'b', null, 'd'))).toEqual([
      { name: 'A prompt', stretches: [[place('a'), place('b')], [place('d')]] },
    ])
    expect(slipsIn(page('a', 'b', null, 'd'))).toEqual([])
  })

  it('goes where a file imports the next, or is imported by it', () => {
    expect(broken(page('a', 'b', 'c', 'b', null, 'd'))).toEqual([])
    expect(broken(page('a', 'c', 'b'))).toEqual([`A prompt: ${place('a')} -> ${place('c')}`])
    expect(broken(page('b', 'd'))).toEqual([`A prompt: ${place('b')} -> ${place('d')}`])
    expect(broken(page('a', null, 'e'))).toEqual([`A prompt: ${place('e')} is not there`])
  })

  it('is numbered to its end, and its links are written out', () => {
    expect(slipsIn(`## A file\n${listed(1, 'a')}${listed(3, 'b')}`)).toEqual(['A file: 3. should be 2.'])
    expect(slipsIn(`## A file\n1. [a.ts](${place('a')}) is short\n`)).toEqual([
      `A file: a.ts leads to ${place('a')}`,
    ])
  })

  it('is counted with each file once, beside what it was at a commit', () => {
    const now = walkSizes(page('a', 'b', 'c', 'b', null, 'd'))
    expect(now).toEqual({ 'A prompt': 4 })
    expect(walksInWords(now)).toBe('files that pass on:\n  A prompt  4\n')
    expect(comparedWalks(walkSizes(page('a')), now)).toBe(
      'files that pass on:  before  now\n  A prompt                1    4\n',
    )
    expect(comparedWalks(walkSizes('# no walks\n'), now)).toMatch(/A prompt +- +4\n$/)
  })
})
