import { expect, it } from 'vitest'
import { graphemes } from './text-width.ts'

it.each(['e\u0301', 'ä', 'e\u0301 word ', '日本', '👩‍👩‍👧 a', '\u202e'])(
  'a long text of %j falls into the same characters as a short one',
  (piece) => {
    const short = graphemes(piece.repeat(3)).slice(0, graphemes(piece).length)
    const found = new Set(graphemes(piece.repeat(5_000)))
    expect([...found].sort()).toEqual([...new Set(short)].sort())
  },
)
