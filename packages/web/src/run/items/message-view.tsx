import type { MessageItem } from '@farhand/story/items/story'
import { authorInWords } from '@farhand/story/wording/author-in-words'
import { memo } from 'react'
import { AttachedFile } from '../../attachments/attached-file.tsx'
import { CodeBlock } from '../../markdown/code-block.tsx'
import { fencedParts } from '../../markdown/fenced-parts.ts'
import { replaceBidiControls } from '../../text/replace-bidi-controls.ts'
import { Icon } from '../../ui/icon.tsx'
import { renderList } from '../../ui/render-list.ts'
import { timeTitle } from '../../ui/time-title.ts'
import css from './message-view.module.css'

type Props = { item: MessageItem; fetchBlob: (hash: string) => Promise<Uint8Array> }

/** A message of the user, as typed. */
export const MessageView = memo(function MessageView({ item, fetchBlob }: Props) {
  const notes = [
    ...(item.by.kind === 'web' ? [] : [`from ${authorInWords(item.by)}`]),
    ...(item.state === 'waiting' ? ['waiting'] : []),
    ...(item.state === 'withdrawn' ? ['withdrawn'] : []),
    ...(item.isSteering ? ['sent into the turn'] : []),
  ]
  return (
    <div className={`${css.message} ${css[item.state] ?? ''}`}>
      <h3 className="visually-hidden">A message {notes.join(', ')}</h3>
      <div className={css.bubble} dir="auto" {...timeTitle(item.at)}>
        <SaidText text={item.text} />
        {item.attachments.length > 0 && (
          <ul className={item.text === '' ? css.attachments : `${css.attachments} ${css.below}`}>
            {item.attachments.map((attachment) => (
              <li key={attachment.hash + attachment.name}>
                <AttachedFile attachment={attachment} fetchBlob={fetchBlob} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {notes.length > 0 && (
        <div className={css.notes} aria-hidden="true">
          {item.state === 'waiting' && <Icon name="clock" size={13} />}
          {notes.join(' · ')}
        </div>
      )}
    </div>
  )
})

/** The user's text as typed, with fenced code shown as code. */
const SaidText = memo(function SaidText({ text }: { text: string }) {
  return renderList(fencedParts(text), (part) =>
    part.is === 'words' ? (
      replaceBidiControls(part.text)
    ) : (
      <div className={css.code}>
        <CodeBlock text={replaceBidiControls(part.text)} lang={part.lang} isGrowing={false} />
      </div>
    ),
  )
})
