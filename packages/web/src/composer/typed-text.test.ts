import { describe, expect, it } from 'vitest'
import { completionAt, meaningOf, withCompletion } from './typed-text.ts'

/** The bar is the caret. */
const at = (marked: string) => completionAt(marked.replace('|', ''), marked.indexOf('|'))

describe('the text that is being typed', () => {
  it('is a command only where a message begins', () => {
    expect(at('/re|')).toMatchObject({ is: 'command', query: 're', from: 0, to: 3 })
    expect(at('look at /re|')).toBeNull()
    expect(at('/usr/bi|')).toBeNull()
    expect(at('/review this|')).toBeNull()
  })

  it('is a file after an @ that begins a word, and not in a mail address', () => {
    expect(at('see @src/a|')).toMatchObject({ is: 'file', query: 'src/a', from: 4, to: 10 })
    expect(at('a@b.or|')).toBeNull()
    expect(at('first line\n@|')).toMatchObject({ is: 'file', query: '' })
  })

  it('reaches to the end of the word, so that choosing in its middle leaves nothing behind', () => {
    const typed = at('see @sr|c/old now')!
    expect(withCompletion('see @src/old now', typed, '@src/new.ts')).toEqual({
      text: 'see @src/new.ts now',
      caret: 16,
    })
  })
})

describe('a text that is sent', () => {
  it('is run as a command when it begins with !', () => {
    expect(meaningOf(' !git status ', 0)).toEqual({ is: 'shell', command: 'git status' })
    expect(meaningOf('Really!', 0)).toEqual({ is: 'say', text: 'Really!' })
  })

  it('needs words or an attachment', () => {
    expect([meaningOf('  \n', 0), meaningOf('!', 0)]).toEqual([null, null])
    expect(meaningOf('', 1)).toEqual({ is: 'say', text: '' })
  })
})
