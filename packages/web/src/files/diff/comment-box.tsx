import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import css from './comment-box.module.css'
import type { LineComment } from './comment-message.ts'

type Props = {
  place: { side: 'before' | 'after'; line: number }
  text: string
  onText: (text: string) => void
  onAdd: () => void
  onCancel: () => void
}

function focusIt(field: HTMLTextAreaElement | null): void {
  field?.focus()
  // The box may be rendered anew when its line moves: put the caret at the end, where the user most likely was.
  field?.setSelectionRange(field.value.length, field.value.length)
}

/** Where the user writes a comment on a line. All comments are sent together. */
export function CommentBox({ place, text, onText, onAdd, onCancel }: Props) {
  const isEmpty = text.trim() === ''
  return (
    <div className={css.box}>
      <textarea
        dir="auto"
        ref={focusIt}
        className={css.text}
        rows={3}
        value={text}
        aria-label={`Comment on line ${place.line}${place.side === 'before' ? ' of the old version' : ''}`}
        placeholder="What should the agent know or do here?"
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') onCancel()
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isEmpty) onAdd()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <div className={css.buttons}>
        <Button as="main" isSmall disabled={isEmpty} onClick={onAdd}>
          Add comment
        </Button>
        <Button as="quiet" isSmall onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  )
}

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
