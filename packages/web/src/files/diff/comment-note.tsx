import { IconButton } from '../../ui/icon-button.tsx'
import css from './comment-box.module.css'
import type { LineComment } from './comment-message.ts'

/** An unsent comment, below its line. */
export function CommentNote({ comment, onDrop }: { comment: LineComment; onDrop: () => void }) {
  return (
    <div className={css.note}>
      <span className={css.said}>{comment.text}</span>
      <IconButton
        icon="trash"
        label={`Remove the comment on line ${comment.line}`}
        isSmall
        onClick={onDrop}
      />
    </div>
  )
}
