import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'
import { renderList } from '../ui/render-list.ts'
import css from './markdown.module.css'
import { plainLetters } from './plain-letters.ts'
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
