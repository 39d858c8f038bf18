import { Lexer, type Token, Tokenizer } from 'marked'

/** A text in blocks, oldest first. A block that did not change is the same object as before. */
export type Blocks = { text: string; blocks: readonly Token[] }

export const noBlocks: Blocks = { text: '', blocks: [] }

/** Longer ones are shown as they were written: reading them would hold up the page. */
const mostLetters = 200_000

/** A paragraph that no person writes is shown as it was written: it would be read anew for each portion that comes. */
const mostInline = 20_000

/** In a paragraph with more than this, stars are looked for near its end only: it takes as long as their number cubed. */
const mostStarred = 3000
const mostStars = 400

/** Each box to tick makes the reader go through all before it: with more of them they are shown as they were written. */
const mostBoxes = 500
const box = /\[[ xX]\]/g

/** How far the reader looks for the end of a word or an address: to the end of everything takes, for each star, as long as all. */
const farthest = 2000

/** So many marks of quotes and lists in one line nest too deep to be read, and finding that out takes long. */
const tooDeep = /^[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d{1,9}[.)][ \t]+){60}/m

class Reader extends Tokenizer {
  readonly #hasManyBoxes: boolean

  constructor(text: string) {
    super()
    this.#hasManyBoxes = (text.match(box)?.length ?? 0) > mostBoxes
  }

  override list(text: string) {
    const { options } = this
    if (this.#hasManyBoxes) this.options = { ...options, gfm: false }
    try {
      return super.list(text)
    } finally {
      this.options = options
    }
  }

  override inlineText(text: string) {
    return super.inlineText(text.slice(0, farthest))
  }

  override url(text: string) {
    return super.url(text.slice(0, farthest))
  }

  override emStrong(...[text, masked, before]: Parameters<Tokenizer['emStrong']>) {
    if (text.length > mostStarred || hasManyStars(text)) return undefined
    return super.emStrong(text, masked, before)
  }
}

class ShortLines extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (text.length <= mostInline) return super.inlineTokens(text, tokens)
    tokens.push({ type: 'text', raw: text, text, escaped: false })
    return tokens
  }
}

function hasManyStars(text: string): boolean {
  let stars = 0
  for (let at = 0; at < text.length && stars <= mostStars; at++) {
    const letter = text[at]
    if (letter === '*' || letter === '_') stars++
  }
  return stars > mostStars
}

/**
 * The blocks of a text. If it only grew since `before`, only its last ones are read again: of those above, none can
 * change any more. Nothing in a text makes it throw.
 */
export function growingBlocks(before: Blocks, text: string): Blocks {
  if (text === before.text) return before
  const kept = text.startsWith(before.text) ? settled(before.blocks) : []
  const from = kept.reduce((sum, { raw }) => sum + raw.length, 0)
  const rest = read(text.slice(from)).map((block, at) => {
    const was = before.blocks[kept.length + at]
    return was?.raw === block.raw && was.type === block.type ? was : block
  })
  return { text, blocks: [...kept, ...rest] }
}

/**
 * All but the last two blocks. The one above the last may still take it over: a star begins a list, and two stars go on
 * with what is above.
 */
function settled(blocks: readonly Token[]): readonly Token[] {
  const last = lastOf(blocks)
  return last < 1 ? [] : blocks.slice(0, Math.max(0, lastOf(blocks.slice(0, last))))
}

const lastOf = (blocks: readonly Token[]) => blocks.findLastIndex(({ type }) => type !== 'space')

function read(text: string): Token[] {
  if (text.length > mostLetters || tooDeep.test(text)) return asWritten(text)
  try {
    const blocks: Token[] = [
      ...new ShortLines({ gfm: true, breaks: false, tokenizer: new Reader(text) }).lex(text),
    ]
    // What was read must be all there is, or the next portion would begin at the wrong place.
    return blocks.reduce((sum, { raw }) => sum + raw.length, 0) === text.length ? blocks : asWritten(text)
  } catch {
    // Nested so deep that the reader gave up: people can still read it as it is.
    return asWritten(text)
  }
}

const asWritten = (text: string): Token[] => [{ type: 'written', raw: text }]
