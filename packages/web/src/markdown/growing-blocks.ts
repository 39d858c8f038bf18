import { Lexer, type Token, Tokenizer } from 'marked'

/** A text in blocks, oldest first. An unchanged block is the same object as before. */
export type Blocks = { text: string; blocks: readonly Token[] }

export const noBlocks: Blocks = { text: '', blocks: [] }

/** Longer texts are shown as plain text: parsing them would block the page. */
const mostLetters = 200_000

/** A longer paragraph is shown as plain text: it would be parsed again with each new chunk. */
const mostInline = 20_000

/** In a longer paragraph, emphasis is only parsed near its end: parsing takes cubic time in the number of stars. */
const mostStarred = 3000
const mostStars = 400

/** For each task box the parser goes through all text before it: with more boxes, they are shown as text. */
const mostBoxes = 500
const box = /\[[ xX]\]/g

/**
 * How far the parser looks ahead for the end of a word or URL: looking to the end of the text for each star would
 * take quadratic time.
 */
const farthest = 2000

/** More quote and list markers in one line nest too deep for the parser, which finds that out slowly. */
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
 * The blocks of a text. If the text only grew since `before`, only its last blocks are parsed again, because the
 * ones above cannot change any more. It never throws.
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
 * All but the last two blocks. The last one may still be joined with the one above: one star starts a list, two
 * stars continue the paragraph above.
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
    // The parsed text must be the whole text, or the next chunk would start at the wrong place.
    return blocks.reduce((sum, { raw }) => sum + raw.length, 0) === text.length ? blocks : asWritten(text)
  } catch {
    // Nested too deep for the parser: show plain text.
    return asWritten(text)
  }
}

const asWritten = (text: string): Token[] => [{ type: 'written', raw: text }]
