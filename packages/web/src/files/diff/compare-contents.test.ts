import { describe, expect, it } from 'vitest'
import type { Content } from '../history/contents.ts'
import { compareContents } from './compare-contents.ts'

const bytes = (text: string): Content => ({
  is: 'bytes',
  bytes: Uint8Array.from(text, (letter) => letter.charCodeAt(0)),
})
const png = bytes('\x89PNG\r\n\x1a\n\0\0')
const program = bytes('ELF\0')
const gone: Content = { is: 'gone' }

describe('a file and its earlier content', () => {
  it('are lines if both are texts, or one is and the other is missing', () => {
    expect(compareContents(bytes('a\n'), bytes('b\n'))).toMatchObject({ is: 'lines', notice: null })
    expect(compareContents(null, bytes('b\n'))).toMatchObject({ is: 'lines' })
    expect(compareContents(bytes('a\n'), null)).toMatchObject({ is: 'lines' })
  })

  it('are images if both are', () => {
    expect(compareContents(png, png)).toMatchObject({ is: 'images' })
    expect(compareContents(null, png)).toMatchObject({ is: 'images', before: null })
    expect(compareContents(png, null)).toMatchObject({ is: 'images', after: null })
  })

  it('are described in words if they are neither, or too large, or empty', () => {
    expect(compareContents(program, program)).toMatchObject({
      is: 'words',
      words: expect.stringMatching(/binary file/),
    })
    expect(compareContents(bytes('a'), program)).toMatchObject({ is: 'words' })
    expect(compareContents(null, { is: 'too-large', size: 9e6 })).toMatchObject({
      is: 'words',
      words: expect.stringMatching(/8.6 MiB/),
    })
    expect(compareContents(null, bytes(''))).toMatchObject({ is: 'words', words: 'This file is empty.' })
  })

  it('are shown if only one of them can be had, and the reader is told', () => {
    expect(compareContents(gone, bytes('b\n'))).toMatchObject({
      is: 'lines',
      notice: expect.stringMatching(/no longer stored/),
    })
    expect(compareContents(bytes('a\n'), gone)).toMatchObject({
      is: 'words',
      words: expect.stringMatching(/30 days/),
    })
    expect(compareContents(program, bytes('b\n'))).toMatchObject({
      is: 'lines',
      notice: 'It was a binary file before.',
    })
  })

  it('have a note about wrong letters if they are not in UTF-8', () => {
    expect(compareContents(null, bytes('caf\xe9\n'))).toMatchObject({
      notice: expect.stringMatching(/UTF-8/),
    })
  })
})
