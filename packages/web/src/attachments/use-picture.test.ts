import { describe, expect, it } from 'vitest'
import { mayBePicture } from './may-be-picture.ts'
import { pictureAddress } from './use-picture.ts'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

describe('the address of a picture', () => {
  it('is an address within this page, with a type from the bytes and not from the name', async () => {
    const address = pictureAddress(bytes('\x89PNG\r\n\x1a\n\0\0'), 'image/svg+xml')
    expect(address?.url).toMatch(/^blob:/)
    expect((await (await fetch(address?.url ?? '')).blob()).type).toBe('image/png')
    address?.end()
    await expect(fetch(address?.url ?? '')).rejects.toThrow()
  })

  it('has no origin for an SVG drawing', () => {
    expect(pictureAddress(bytes(svg), 'image/svg+xml')?.url).toMatch(/^data:image\/svg\+xml;/)
  })

  it('is missing for a file that only claims to be a picture', () => {
    for (const text of ['<script>alert(1)</script>', svg, '\0\0\0'])
      expect(pictureAddress(bytes(text), 'image/png')).toBeNull()
  })
})

describe('a file that may be a picture', () => {
  it('has such a type, or such a name if it has no type, and is not too large', () => {
    expect(mayBePicture({ name: 'a', mimeType: 'image/heic', size: 5 })).toBe(true)
    expect(mayBePicture({ name: 'a.JPG' })).toBe(true)
    expect(mayBePicture({ name: 'a.png', mimeType: 'text/html' })).toBe(false)
    expect(mayBePicture({ name: 'a.png', size: 50_000_000 })).toBe(false)
  })
})
