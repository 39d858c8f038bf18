import { memo } from 'react'
import { CopyButton } from '../../look/copy-button.tsx'
import { Markdown } from '../../markdown/markdown.tsx'
import type { WordsItem } from '../../story/story.ts'
import { InlineImage } from './inline-image.tsx'
import css from './words-view.module.css'

type Props = { item: WordsItem; link: string }

/** What the agent says; it is drawn while it is written. */
export const WordsView = memo(function WordsView({ item, link }: Props) {
  return (
    <article className={css.words} aria-busy={item.isOpen}>
      <Markdown text={item.text} isGrowing={item.isOpen} />
      {item.images.map((image) => (
        <InlineImage key={image.data.slice(0, 64) + image.data.length} image={image} />
      ))}
      {!item.isOpen && (
        <div className={css.actions}>
          <CopyButton text={item.text} label="Copy this text" />
          <CopyButton
            text={() => new URL(link, location.href).href}
            label="Copy a link to this"
            icon="link"
          />
        </div>
      )}
    </article>
  )
})
