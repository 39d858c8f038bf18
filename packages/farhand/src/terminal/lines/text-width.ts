const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })
const plain = /^[\x20-\x7e]*$/
const nothing = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u

/** The user-perceived characters of a text. */
export function graphemes(text: string): string[] {
  if (plain.test(text)) return [...text]
  const all: string[] = []
  // Intl.Segmenter takes quadratic time: long texts are split first.
  for (let from = 0; from < text.length; ) {
    const to = pieceEnd(text, from)
    for (const { segment } of segments.segment(text.slice(from, to))) all.push(segment)
    from = to
  }
  return all
}

const pieceLength = 1_000

/**
 * Where to split: before an ASCII character, which never combines with the one before it; else not within a character.
 */
function pieceEnd(text: string, from: number): number {
  const near = from + pieceLength
  if (near >= text.length) return text.length
  for (let to = near; to < near + pieceLength && to < text.length; to += 1)
    if (/[\x20-\x7e]/.test(text[to]!)) return to
  let to = near
  while (to < near + pieceLength && /\p{M}|\p{Cf}|[\udc00-\udfff]/u.test(text[to]!)) to += 1
  return to
}

/** The columns that a text takes, without line breaks and tabs. */
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
  // A variation selector turns a narrow symbol into a wide emoji.
  return wide.test(one) || one.includes('\ufe0f') ? 2 : 1
}

/** The beginning of a text that fits, with an ellipsis if it is cut. */
export function cutToWidth(text: string, most: number): string {
  // Longer than any window: not worth measuring.
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
