import { wholeText } from '@farhand/story/items/cut-text'
import type { WordsItem } from '@farhand/story/items/story'
import { memo } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { type LongProps, LongText } from '../../output/long-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { InlineImage } from './inline-image.tsx'
import css from './words-view.module.css'

type Props = LongProps<WordsItem> & { link: string }

/** Text of the agent, rendered while it grows. */
export const WordsView = memo(function WordsView({ item, link, openSections, fetchBlob }: Props) {
  const isCut = item.cuts.length > 0
  return (
    <article className={css.words} aria-busy={item.isOpen}>
      <LongText {...{ item, openSections, fetchBlob }}>
        {(text) => <Markdown text={text} isGrowing={item.isOpen} />}
      </LongText>
      {item.images.map((image) => (
        <InlineImage key={image.data.slice(0, 64) + image.data.length} image={image} />
      ))}
      {!item.isOpen && (
        <div className={css.actions}>
          <CopyButton text={isCut ? () => wholeText(item, fetchBlob) : item.text} label="Copy this text" />
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
