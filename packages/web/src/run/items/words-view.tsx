import { memo } from 'react'
import { CopyButton } from '../../look/copy-button.tsx'
import { Markdown } from '../../markdown/markdown.tsx'
import { wholeText } from '../../story/cut-text.ts'
import type { WordsItem } from '../../story/story.ts'
import type { Folds } from '../folds.ts'
import { InlineImage } from './inline-image.tsx'
import { LongText } from './long-text.tsx'
import css from './words-view.module.css'

type Props = {
  item: WordsItem
  link: string
  folds: Folds
  onWhole: (hash: string) => Promise<Uint8Array>
}

/** What the agent says; it is drawn while it is written. */
export const WordsView = memo(function WordsView({ item, link, folds, onWhole }: Props) {
  const isCut = item.cuts.length > 0
  return (
    <article className={css.words} aria-busy={item.isOpen}>
      <LongText {...{ item, folds, onWhole }}>
        {(text) => <Markdown text={text} isGrowing={item.isOpen} />}
      </LongText>
      {item.images.map((image) => (
        <InlineImage key={image.data.slice(0, 64) + image.data.length} image={image} />
      ))}
      {!item.isOpen && (
        <div className={css.actions}>
          <CopyButton text={isCut ? () => wholeText(item, onWhole) : item.text} label="Copy this text" />
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
