const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })
const plain = /^[\x20-\x7e]*$/
const nothing = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u

/** The text in pieces that a person takes for one character each. */
export function graphemes(text: string): string[] {
  if (plain.test(text)) return [...text]
  const all: string[] = []
  // The system takes as long as the square of a text: a long one goes to it in pieces.
  for (let from = 0; from < text.length; ) {
    const to = pieceEnd(text, from)
    for (const { segment } of segments.segment(text.slice(from, to))) all.push(segment)
    from = to
  }
  return all
}

const pieceLength = 1_000

/** Where a piece may end: before a letter that never belongs to the one before it; else where none is cut in two. */
function pieceEnd(text: string, from: number): number {
  const near = from + pieceLength
  if (near >= text.length) return text.length
  for (let to = near; to < near + pieceLength && to < text.length; to += 1)
    if (/[\x20-\x7e]/.test(text[to]!)) return to
  let to = near
  while (to < near + pieceLength && /\p{M}|\p{Cf}|[\udc00-\udfff]/u.test(text[to]!)) to += 1
  return to
}

/** How many columns of a terminal a text takes that has no line ends and no tabs. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const one of graphemes(text)) width += graphemeWidth(one)
  return width
}

/** How many columns one character takes. */
export function graphemeWidth(one: string): number {
  if (one.length === 1 && plain.test(one)) return 1
  if (nothing.test(one)) return 0
  // A sign that is text by itself is drawn as a picture, and wide, with this behind it.
  return wide.test(one) || one.includes('\ufe0f') ? 2 : 1
}

/** As much of the beginning of a text as fits, with a sign that something is missing. */
export function cutToWidth(text: string, most: number): string {
  // What no terminal has room for need not be measured.
  const near = text.slice(0, Math.max(0, most) * 16 + 64)
  if (near.length === text.length && textWidth(text) <= most) return text
  let cut = ''
  let width = 1
  for (const one of graphemes(near)) {
    width += graphemeWidth(one)
    if (width > most) break
    cut += one
  }
  return most < 1 ? '' : `${cut}…`
}
