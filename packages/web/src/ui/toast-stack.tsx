import { useEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import css from './toast-stack.module.css'
import { dismiss, keepToastsWhile, useToasts } from './toasts.ts'

/** The visible toasts; screen readers read new ones aloud. */
export function ToastStack() {
  const toasts = useToasts()
  const stack = useRef<HTMLDivElement>(null)
  useEffect(() => keepToastsWhile(() => stack.current?.matches(':hover, :focus-within') ?? false), [])
  return (
    <div ref={stack} className={css.stack} role="status" aria-live="polite">
      {toasts.map(({ id, text, tone, undo, open }) => (
        <div key={id} className={`${css.toast} ${css[tone]}`}>
          <span className={css.text} dir="auto">
            {text}
          </span>
          {undo && (
            <Button
              as="quiet"
              isSmall
              onClick={() => {
                dismiss(id)
                undo()
              }}
            >
              Undo
            </Button>
          )}
          {open && (
            <Button
              as="quiet"
              isSmall
              onClick={() => {
                dismiss(id)
                open()
              }}
            >
              Open
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" isSmall onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
