import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import css from './toast-stack.module.css'
import { dismiss, useToasts } from './toasts.ts'

/** Where things are said in passing; read aloud as they come. */
export function ToastStack() {
  const toasts = useToasts()
  return (
    <div className={css.stack} role="status" aria-live="polite">
      {toasts.map(({ id, text, tone, undo, open }) => (
        <div key={id} className={`${css.toast} ${css[tone]}`}>
          <span className={css.text}>{text}</span>
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
