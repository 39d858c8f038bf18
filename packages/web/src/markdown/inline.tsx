import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { replaceBidiControls } from '../text/replace-bidi-controls.ts'
import { Icon } from '../ui/icon.tsx'
import { renderList } from '../ui/render-list.ts'
import css from './markdown.module.css'
import { safeLink } from './safe-link.ts'

/** Deeper nesting is shown as plain text. */
const deepest = 24

/** Inline markdown: every token becomes an element or text, never HTML. */
export function inline(tokens: readonly Token[] | undefined, depth = 0): ReactNode {
  return tokens && renderList(tokens, (token) => (depth > deepest ? token.raw : one(token, depth + 1)))
}

function one(token: Token, depth: number): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens, depth)}</strong>
    case 'em':
      return <em>{inline(token.tokens, depth)}</em>
    case 'del':
      return <del>{inline(token.tokens, depth)}</del>
    case 'codespan':
      return <code className={css.word}>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return link(token as Tokens.Link, inline(token.tokens, depth))
    case 'image':
      return image(token as Tokens.Image)
    case 'escape':
      return token.text
    case 'text':
      return token.tokens ? inline(token.tokens, depth) : plainLetters(token.text)
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br /> : token.raw
    default:
      return token.raw
  }
}

function link({ href, text }: Tokens.Link, words: ReactNode): ReactNode {
  const to = safeLink(href)
  if (to === null) return <span title={plainLetters(href)}>{words}</span>
  return (
    <a href={to} target="_blank" rel="noopener noreferrer nofollow" title={text === href ? undefined : to}>
      {words}
    </a>
  )
}

/** Images are links and are not fetched: a fetch would tell the image's server who reads the text, and when. */
function image({ href, text }: Tokens.Image): ReactNode {
  const words = (
    <>
      <Icon name="image" size={14} /> {plainLetters(text) || 'image'}
    </>
  )
  const to = safeLink(href)
  if (to === null) return <span title={plainLetters(href)}>{words}</span>
  return (
    <a href={to} target="_blank" rel="noopener noreferrer nofollow" title={to}>
      {words}
    </a>
  )
}

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
function plainLetters(text: string): string {
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
