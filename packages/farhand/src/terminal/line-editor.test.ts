import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Key, KeyReader } from './keys/key-reader.ts'
import { draftWith, edited, emptyDraft } from './line-editor.ts'

/** What is there after these keys, with a bar where the cursor is. */
function after(keys: string, text = ''): string {
  let draft = draftWith(emptyDraft, text)
  for (const key of new KeyReader().take(new TextEncoder().encode(keys))) draft = edited(draft, key) ?? draft
  return `${draft.text.slice(0, draft.at)}|${draft.text.slice(draft.at)}`
}

const left = '\x1b[D'
const [home, end, toEnd, toStart, word, yank] = ['\x01', '\x05', '\x0b', '\x15', '\x17', '\x19']

describe('a line that is being typed', () => {
  it('takes characters where the cursor is', () => {
    expect(after(`ac${left}b`)).toBe('ab|c')
  })

  it('moves over and removes what a person takes for one character', () => {
    expect(after(left, 'a👩‍👩‍👧')).toBe('a|👩‍👩‍👧')
    expect(after('\x7f', 'e\u0301')).toBe('|')
    expect(after('\x7f\x7f', 'x')).toBe('|')
  })

  it('is moved through word by word, and loses words', () => {
    expect(after('\x1bb\x1bb', 'one two-three')).toBe('one |two-three')
    expect(after(`${home}\x1bf`, 'one two')).toBe('one| two')
    expect(after(word, 'one two ')).toBe('one |')
    expect(after(`${home}\x1bd`, 'one two')).toBe('| two')
  })

  it('gives back what was cut out of it', () => {
    expect(after(`${word}${home}${yank}`, 'one two')).toBe('two|one ')
    expect(after(`${toStart}x${yank}`, 'one')).toBe('xone|')
  })

  it('may have several lines, each with a beginning and an end of its own', () => {
    expect(after(`${home}x`, 'one\ntwo')).toBe('one\nx|two')
    expect(after(`\x1b[A${end}`, 'one\ntwo')).toBe('one|\ntwo')
    expect(after(`\x1b[A${toEnd}`, 'long line\nxy')).toBe('lo|\nxy')
    expect(after(`\x1b[A${end}${toEnd}`, 'one\ntwo')).toBe('one|two')
  })

  it('keeps its place from line to line as far as there is one', () => {
    expect(after('\x1b[A', 'ab\nlonger')).toBe('ab|\nlonger')
    expect(after('\x1b[A\x1b[B', '語語\nab')).toBe('語語\nab|')
  })

  it('leaves up and down to its caller if it has no further line', () => {
    expect(edited(draftWith(emptyDraft, 'one'), { is: 'up' })).toBeNull()
    expect(edited(draftWith(emptyDraft, 'one'), { is: 'down' })).toBeNull()
  })

  it('has its cursor between two characters, after any keys', () => {
    const keys = fc.oneof(
      fc.constantFrom<Key>(
        ...(
          [
            'left',
            'right',
            'up',
            'down',
            'home',
            'end',
            'word-left',
            'word-right',
            'backspace',
            'delete',
          ] as const
        ).map((is) => ({ is })),
        ...(['kill-word', 'kill-next-word', 'kill-to-end', 'kill-to-start', 'yank', 'newline'] as const).map(
          (is) => ({ is }),
        ),
      ),
      fc.constantFrom('a', ' ', '語', '😀', 'é').map((text): Key => ({ is: 'text', text })),
    )
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 40 }), (pressed) => {
        let draft = emptyDraft
        for (const key of pressed) draft = edited(draft, key) ?? draft
        expect(draft.at).toBeGreaterThanOrEqual(0)
        expect(draft.at).toBeLessThanOrEqual(draft.text.length)
        expect(draft.text.slice(0, draft.at).isWellFormed?.() ?? true).toBe(true)
      }),
    )
  })
})
