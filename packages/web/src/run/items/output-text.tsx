import { memo, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../look/button.tsx'
import { CopyButton } from '../../look/copy-button.tsx'
import { plainOutput } from '../plain-output.ts'
import css from './output-text.module.css'

type Props = { text: string; label: string; isError?: boolean }

/** Of a longer one, the end is shown until somebody asks for the rest. */
const shownLetters = 12_000

/** What a program or a tool said, as it said it. */
export const OutputText = memo(function OutputText({ text, label, isError = false }: Props) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > shownLetters && !isWhole
  const end = text.slice(-shownLetters)
  const shown = plainOutput(isCut ? end.slice(end.indexOf('\n') + 1) : text).replace(/\n+$/, '')
  const box = useRef<HTMLPreElement>(null)
  useLayoutEffect(() => {
    if (isCut && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [isCut])
  if (shown === '') return null
  return (
    <div className={css.output}>
      {isCut && (
        <Button as="quiet" isSmall onClick={() => setWhole(true)}>
          Show the {Math.round((text.length - shownLetters) / 1000)} KB before this
        </Button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be so with keys, too. */}
      <pre ref={box} className={isError ? `${css.text} ${css.error}` : css.text} tabIndex={0}>
        {shown}
      </pre>
      <span className={css.copy}>
        <CopyButton text={() => plainOutput(text)} label={`Copy the ${label}`} />
      </span>
    </div>
  )
})
