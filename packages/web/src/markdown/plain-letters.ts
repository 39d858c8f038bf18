import { replaceBidiControls } from '../text/replace-bidi-controls.ts'

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  larr: '←',
  times: '×',
  copy: '©',
}

/** Decodes `&amp;` and similar entities, without direction controls. The result is used as text and never as HTML. */
export function plainLetters(text: string): string {
  // The markdown parser may have decoded direction controls already.
  if (!text.includes('&')) return replaceBidiControls(text)
  const written = text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,8}));/g,
    (all, ten, sixteen, name) => {
      if (name) return (Object.hasOwn(named, name) ? named[name] : null) ?? all
      const code = ten ? Number(ten) : Number.parseInt(sixteen, 16)
      const isLetter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
      return isLetter ? String.fromCodePoint(code) : '\ufffd'
    },
  )
  return replaceBidiControls(written)
}
