import { useEffect, useRef, useState } from 'react'
import { IconButton } from './icon-button.tsx'
import css from './rename-field.module.css'

type Props = {
  title: string
  /** The accessible name of the field. */
  label?: string
  most?: number
  onDone: (title: string | null) => void
}

/** A field to change a title: Enter saves it; Escape and an unchanged title do nothing. */
export function RenameField({ title, label = 'Title of this run', most = 500, onDone }: Props) {
  const [text, setText] = useState(title)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // select() alone is not enough: Safari would leave the focus where it was.
    input.current?.focus()
    input.current?.select()
  }, [])
  const take = () => {
    const typed = text.trim()
    onDone(typed === '' || typed === title ? null : typed)
  }
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        take()
      }}
      onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || take()}
    >
      <input
        ref={input}
        dir="auto"
        aria-label={label}
        value={text}
        maxLength={most}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onDone(null)
        }}
      />
      <IconButton type="submit" icon="check" label="Rename" />
    </form>
  )
}
