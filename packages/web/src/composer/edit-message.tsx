import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import css from './waiting-list.module.css'

/** `was` is the text before the change. */
export type Editing = { messageId: number; text: string; was: string }
type Props = {
  editing: Editing
  onChange: (editing: Editing | null) => void
  onSave: (editing: Editing) => void
}

/** Edits a waiting message. Escape leaves it unchanged. */
export function EditMessage({ editing, onChange, onSave }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onChange(null)
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave(editing)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <form
      className={css.edit}
      onSubmit={(event) => {
        event.preventDefault()
        onSave(editing)
      }}
    >
      <textarea
        ref={field}
        aria-label="The message"
        rows={2}
        dir="auto"
        value={editing.text}
        onChange={({ target }) => onChange({ ...editing, text: target.value })}
        onKeyDown={onKeyDown}
      />
      <span className={css.buttons}>
        <Button isSmall as="quiet" onClick={() => onChange(null)}>
          Cancel
        </Button>
        <Button isSmall as="main" type="submit" disabled={editing.text.trim() === ''}>
          Save
        </Button>
      </span>
    </form>
  )
}
