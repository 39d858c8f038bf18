import { useEffect, useRef, useState } from 'react'
import { IconButton } from './icon-button.tsx'
import css from './rename-field.module.css'

type Props = {
  title: string
  /** What is asked for, for those who listen. */
  label?: string
  most?: number
  onDone: (title: string | null) => void
}

/** A title to be typed over: Enter takes it, Escape and nothing new leave it as it was. */
export function RenameField({ title, label = 'What this run is called', most = 500, onDone }: Props) {
  const [text, setText] = useState(title)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // To choose the text is not enough: Safari then leaves the keyboard where it was.
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
