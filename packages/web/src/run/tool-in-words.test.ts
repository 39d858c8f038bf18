import { describe, expect, it } from 'vitest'
import { pathShown, toolKind, toolOutput, toolTitle, valueInWords } from './tool-in-words.ts'

const tool = { title: '', what: 'other', command: null, places: [] }

describe('the line of a tool', () => {
  it('is the command itself, whatever stands around it', () => {
    const command = 'npm test'
    expect(toolTitle({ ...tool, what: 'execute', title: 'Run `npm test`', command })).toBe('npm test')
    expect(toolTitle({ ...tool, what: 'execute', title: '', command })).toBe('npm test')
    expect(toolTitle({ ...tool, what: 'execute', title: 'Look whether all is well', command })).toBe(
      'Look whether all is well',
    )
  })

  it('is the place or the kind where the agent says nothing', () => {
    expect(toolTitle({ ...tool, places: [{ path: '/workspace/src/a.ts', line: 3 }] })).toBe('src/a.ts')
    expect(toolTitle({ ...tool, what: 'read', title: '  ' })).toBe('Read')
    expect(toolTitle({ ...tool, what: 'of tomorrow' })).toBe('Tool')
  })

  it('a kind that is a name of something else in JavaScript is still a tool', () => {
    expect(toolKind('constructor').words).toBe('Tool')
  })
})

describe('what a tool gave back', () => {
  it('is not said twice', () => {
    expect(toolOutput({ content: [{ is: 'text', text: 'ok' }], output: { stdout: 'ok' } })).toBe('')
  })

  it('is what it wrote, where it says so, and else the value', () => {
    expect(toolOutput({ content: [], output: { stdout: 'a', stderr: 'b', code: 1 } })).toBe('a\nb')
    expect(toolOutput({ content: [], output: 'plain' })).toBe('plain')
    expect(toolOutput({ content: [], output: { n: 1 } })).toBe('{\n  "n": 1\n}')
    expect(toolOutput({ content: [], output: null })).toBe('')
  })

  it('is text, whatever it is', () => {
    expect(valueInWords(undefined)).toBe('')
    expect(valueInWords(3)).toBe('3')
  })
})

it('a path in a workspace is shown as its user knows it', () => {
  expect(pathShown('/workspace/a/b')).toBe('a/b')
  expect(pathShown('/workspace/')).toBe('/workspace/')
  expect(pathShown('a/workspace/b')).toBe('a/workspace/b')
})
