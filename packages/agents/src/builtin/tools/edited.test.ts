import { describe, expect, it } from 'vitest'
import { edited } from './edited.ts'

describe('an edit', () => {
  it('replaces the one passage that is quoted', () => {
    expect(edited('a b c', { oldText: 'b', newText: 'x' })).toBe('a x c')
  })

  it('takes the new text literally, with any signs in it', () => {
    expect(edited('a b c', { oldText: 'b', newText: "$& $' $1" })).toBe("a $& $' $1 c")
  })

  it('is refused with line numbers when the passage is there twice, and done everywhere with replaceAll', () => {
    const edit = { oldText: 'x', newText: 'y' }
    expect(() => edited('x\n1\nx', edit)).toThrow(/2 times \(in lines 1, 3\).*replaceAll/)
    expect(edited('x\n1\nx', { ...edit, replaceAll: true })).toBe('y\n1\ny')
  })

  it('is refused when the passage is not there, and says if only white space differs', () => {
    expect(() => edited('a\n', { oldText: 'b', newText: 'c' })).toThrow('Read the file again')
    const text = 'one\n\tif (x) {\n\t\ty()\n'
    expect(() => edited(text, { oldText: '  if (x) {\n    y()', newText: '' })).toThrow(
      /Line 2 differs.*white space/,
    )
  })

  it('is refused when it would do nothing, or everything', () => {
    expect(() => edited('a', { oldText: '', newText: 'b' })).toThrow('oldText is empty')
    expect(() => edited('a', { oldText: 'a', newText: 'a' })).toThrow('nothing would change')
  })

  it('keeps the line ends of a file, whichever the model writes', () => {
    const edit = { oldText: 'a\nb', newText: 'x\ny' }
    expect(edited('a\r\nb\r\nc', edit)).toBe('x\r\ny\r\nc')
    expect(edited('a\nb\r\nc', edit)).toBe('x\ny\r\nc')
  })
})
