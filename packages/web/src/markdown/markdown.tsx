import { memo, useRef } from 'react'
import { replaceBidiControls } from '../text/replace-bidi-controls.ts'
import { renderList } from '../ui/render-list.ts'
import { Block } from './block.tsx'
import { growingBlocks, noBlocks } from './growing-blocks.ts'
import css from './markdown.module.css'

type Props = { text: string; isGrowing?: boolean }

/**
 * Untrusted text as markdown. It never becomes HTML, links only to web and mail addresses, and never makes the
 * browser fetch anything.
 */
export const Markdown = memo(function Markdown({ text, isGrowing = false }: Props) {
  const read = useRef(noBlocks)
  read.current = growingBlocks(read.current, replaceBidiControls(text))
  const { blocks } = read.current
  return (
    <div className={css.markdown} data-growing={isGrowing || undefined}>
      {renderList(blocks, (token, at) => (
        <Block token={token} isGrowing={isGrowing && at === blocks.length - 1} />
      ))}
    </div>
  )
})
