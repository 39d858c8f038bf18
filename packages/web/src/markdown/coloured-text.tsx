import type { ReactNode } from 'react'
import { renderList } from '../ui/render-list.ts'
import type { Coloured } from './code-colours.ts'
import css from './coloured-text.module.css'

type Props = {
  text: string
  /** The colours of the whole line. */
  colours: readonly Coloured[]
  /** Where in the line the text starts. */
  from?: number
  /** How to display letters. */
  write?: (text: string) => string
}

/** A line of code, or a part of it, in colours. */
export function ColouredText({ text, colours, from = 0, write = (one) => one }: Props) {
  const parts: ReactNode[] = []
  let at = 0
  for (const one of colours) {
    const [start, end] = [Math.max(at, one.from - from), Math.min(text.length, one.to - from)]
    if (start >= end) continue
    if (start > at) parts.push(write(text.slice(at, start)))
    parts.push(<span className={css[one.colour]}>{write(text.slice(start, end))}</span>)
    at = end
  }
  if (at < text.length) parts.push(write(text.slice(at)))
  return renderList(parts, (part) => part)
}
