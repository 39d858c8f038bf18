import { memo, useRef } from 'react'
import { replaceBidiControls } from '../text/replace-bidi-controls.ts'
import { renderList } from '../ui/render-list.ts'
import { Block } from './block.tsx'
import { growingBlocks, noBlocks } from './growing-blocks.ts'
import css from './markdown.module.css'

type Props = { text: string; isGrowing?: boolean }

/**
 * A text of somebody else's, as markdown. Nothing in it becomes markup of ours, leads anywhere but to a web page or a
 * letter, or makes the browser fetch anything.
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
