import { memo } from 'react'
import { Icon } from '../../look/icon.tsx'
import type { MessageItem } from '../../story/story.ts'
import { authorInWords } from '../author-in-words.ts'
import css from './message-view.module.css'

/** What a person said. Their words stand as they typed them. */
export const MessageView = memo(function MessageView({ item }: { item: MessageItem }) {
  const notes = [
    ...(item.by.kind === 'web' ? [] : [`from ${authorInWords(item.by)}`]),
    ...(item.state === 'waiting' ? ['waits for its turn'] : []),
    ...(item.state === 'withdrawn' ? ['taken back'] : []),
    ...(item.isSteering ? ['said into the turn'] : []),
  ]
  return (
    <div className={`${css.message} ${css[item.state] ?? ''}`}>
      <h3 className="heard">A message {notes.join(', ')}</h3>
      <div className={css.bubble} title={new Date(item.at).toLocaleString()}>
        {item.text}
        {item.attachments.length > 0 && (
          <ul className={css.attachments}>
            {item.attachments.map(({ hash, name, mimeType }) => (
              <li key={hash + name}>
                <Icon name={mimeType?.startsWith('image/') ? 'image' : 'file'} size={14} /> {name}
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
