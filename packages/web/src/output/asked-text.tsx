import { plainText } from '@farhand/protocol/text/plain-text'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import css from './asked-text.module.css'

/** A longer text would push the buttons below it out of sight. */
const most = { letters: 4000, lines: 40 }

/**
 * Text that the user decides by, unchanged. A long text is cut, with a note of how much is hidden: the user should
 * not agree to something unseen.
 */
export function AskedText({ text, className }: { text: string; className?: string | undefined }) {
  const [isWhole, setWhole] = useState(false)
  const plain = plainText(text)
  const begins = plain.slice(0, most.letters).split('\n').slice(0, most.lines).join('\n')
  if (isWhole || begins === plain)
    return (
      <pre className={className} dir="auto">
        {plain}
      </pre>
    )
  const rest = plain.slice(begins.length)
  const lines = rest.split('\n').length - 1
  const counted =
    lines > 0
      ? `${lines.toLocaleString('en')} more lines`
      : `${rest.length.toLocaleString('en')} more letters`
  return (
    <>
      <pre className={className} dir="auto">
        {begins}…
      </pre>
      <p className={css.note}>
        {counted} are hidden.{' '}
        <Button isSmall onClick={() => setWhole(true)}>
          Show all
        </Button>
      </p>
    </>
  )
}
