import { expect, it } from 'vitest'
import { shownContent } from './shown-content.ts'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

it('an image is recognised by its bytes, not by its name', () => {
  expect(shownContent(bytes('\x89PNG\r\n\x1a\n\0\0'))).toMatchObject({ is: 'image', mimeType: 'image/png' })
  expect(shownContent(bytes('RIFF....WEBPVP8 '))).toMatchObject({ is: 'image', mimeType: 'image/webp' })
})

it('a text that begins like an image is a text', () => {
  expect(shownContent(bytes('BMW is a car'))).toEqual({ is: 'text', text: 'BMW is a car', isUtf8: true })
})

it('a file with a NUL at its beginning is not a text', () => {
  expect(shownContent(bytes('ELF\0\x01'))).toEqual({ is: 'binary' })
})

it('a text in an old encoding is shown as well as possible, with a note', () => {
  expect(shownContent(bytes('caf\xe9'))).toEqual({ is: 'text', text: 'café', isUtf8: false })
})
