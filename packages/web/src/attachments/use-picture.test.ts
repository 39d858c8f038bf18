import { describe, expect, it } from 'vitest'
import { mayBePicture } from './may-be-picture.ts'
import { pictureAddress } from './use-picture.ts'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

describe('the address of a picture', () => {
  it('is one of this page, by what the bytes are and not by what they are called', async () => {
    const address = pictureAddress(bytes('\x89PNG\r\n\x1a\n\0\0'), 'image/svg+xml')
    expect(address?.url).toMatch(/^blob:/)
    expect((await (await fetch(address?.url ?? '')).blob()).type).toBe('image/png')
    address?.end()
    await expect(fetch(address?.url ?? '')).rejects.toThrow()
  })

  it('is for a drawing one that has no origin', () => {
    expect(pictureAddress(bytes(svg), 'image/svg+xml')?.url).toMatch(/^data:image\/svg\+xml;/)
  })

  it('is not there for what only says that it is a picture', () => {
    for (const text of ['<script>alert(1)</script>', svg, '\0\0\0'])
      expect(pictureAddress(bytes(text), 'image/png')).toBeNull()
  })
})

describe('what may be a picture', () => {
  it('says so by its kind, or by its name where it has no kind, and is not too large', () => {
    expect(mayBePicture({ name: 'a', mimeType: 'image/heic', size: 5 })).toBe(true)
    expect(mayBePicture({ name: 'a.JPG' })).toBe(true)
    expect(mayBePicture({ name: 'a.png', mimeType: 'text/html' })).toBe(false)
    expect(mayBePicture({ name: 'a.png', size: 50_000_000 })).toBe(false)
  })
})
