import { Button } from '../ui/button.tsx'
import css from './composer.module.css'

/** Replaces the message field when a run is closed. */
export function ClosedBar({ onOpen, isOpening }: { onOpen: () => void; isOpening: boolean }) {
  return (
    <div className={css.closed}>
      <span>This run is closed. Everything in it stays as it is.</span>
      <Button disabled={isOpening} onClick={onOpen}>
        {isOpening ? 'Opening…' : 'Reopen'}
      </Button>
    </div>
  )
}
