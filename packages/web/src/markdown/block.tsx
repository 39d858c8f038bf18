import type { Token, Tokens } from 'marked'
import { type JSX, memo, type ReactNode } from 'react'
import { renderList } from '../ui/render-list.ts'
import { scrollable } from '../ui/scrollable.ts'
import { CodeBlock } from './code-block.tsx'
import { inline } from './inline.tsx'
import css from './markdown.module.css'

/** Deeper nesting is shown as plain text. */
const deepest = 12

type Props = { token: Token; isGrowing: boolean }

/** One block of a text. It renders once, except for the last block of a growing text. */
export const Block = memo(function Block({ token, isGrowing }: Props) {
  return block(token, isGrowing, 0)
})

function block(token: Token, isGrowing: boolean, depth: number): ReactNode {
  if (depth > deepest)
    return (
      <p className={css.written} dir="auto">
        {token.raw}
      </p>
    )
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return heading(token as Tokens.Heading)
    case 'paragraph':
      return <p dir="auto">{inline(token.tokens)}</p>
    case 'text':
      return <>{token.tokens ? inline(token.tokens) : token.text}</>
    case 'code':
      return (
        <CodeBlock text={codeOf(token as Tokens.Code)} lang={languageOf(token.lang)} isGrowing={isGrowing} />
      )
    case 'blockquote':
      return <blockquote dir="auto">{blocks(token.tokens, isGrowing, depth)}</blockquote>
    case 'list':
      return list(token as Tokens.List, isGrowing, depth)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return <hr />
    case 'checkbox':
      return null
    default:
      // HTML is shown as text.
      return (
        <p className={css.written} dir="auto">
          {token.raw.trimEnd()}
        </p>
      )
  }
}

const blocks = (tokens: readonly Token[] | undefined, isGrowing: boolean, depth: number) =>
  tokens && renderList(tokens, (token) => block(token, isGrowing, depth + 1))

function heading({ depth, tokens }: Tokens.Heading): ReactNode {
  // The page itself uses h1 and h2.
  const Level = `h${Math.min(6, depth + 2)}` as keyof JSX.IntrinsicElements
  return (
    <Level dir="auto" className={depth === 1 ? css.first : depth === 2 ? css.second : css.third}>
      {inline(tokens)}
    </Level>
  )
}

function list(token: Tokens.List, isGrowing: boolean, depth: number): ReactNode {
  const isTasks = token.items.some(({ task }) => task)
  const items = renderList(token.items, (item) => (
    <li className={item.task ? css.task : undefined} dir="auto">
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="done" />}
      <div>{blocks(item.tokens, isGrowing, depth)}</div>
    </li>
  ))
  if (!token.ordered)
    return (
      <ul className={isTasks ? css.tasks : undefined} dir="auto">
        {items}
      </ul>
    )
  return (
    <ol start={typeof token.start === 'number' ? token.start : 1} dir="auto">
      {items}
    </ol>
  )
}

function table({ header, rows, align }: Tokens.Table): ReactNode {
  const side = (at: number) => ({ textAlign: align[at] ?? undefined }) as const
  return (
    <section className={css.wide} {...scrollable} aria-label="Table">
      <table>
        <thead>
          <tr>
            {renderList(header, (cell, at) => (
              <th style={side(at)} dir="auto">
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {renderList(rows, (row) => (
            <tr>
              {renderList(row, (cell, at) => (
                <td style={side(at)} dir="auto">
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The code, with its info string as a first line if that is more than a language: otherwise it would be lost. */
const codeOf = ({ lang = '', text }: Tokens.Code) =>
  /^[\w+#.-]{0,30}$/.test(lang) ? text : `${lang}\n${text}`

const languageOf = (info: string | undefined) => /^[\w+#.-]{1,30}/.exec(info ?? '')?.[0]?.toLowerCase() ?? ''
