import { trimEndChars } from '@farhand/kit/trim-end-chars'
import { memo, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { scrollable } from '../ui/scrollable.ts'
import css from './output-text.module.css'
import { plainOutput } from './plain-output.ts'

type Props = {
  text: string
  label: string
  isError?: boolean
  /** More output may come: the box has a fixed height and shows its end. */
  isGrowing?: boolean
}

/** Of a longer text only the end is shown, until the user asks for the rest. */
const mostShown = 12_000

/** The output of a program or tool. */
export const OutputText = memo(function OutputText(props: Props) {
  const { text, label, isError = false, isGrowing = false } = props
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > mostShown && !isWhole
  const end = text.slice(-mostShown)
  const shown = trimEndChars(plainOutput(isCut ? end.slice(end.indexOf('\n') + 1) : text), '\n')
  const box = useRef<HTMLPreElement>(null)
  const isAtEnd = useRef(true)
  // For a growing text this changes with each new chunk; otherwise it stays 0.
  const grown = isGrowing ? text.length : 0
  useLayoutEffect(() => {
    if ((isCut || grown > 0) && isAtEnd.current && box.current)
      box.current.scrollTop = box.current.scrollHeight
  }, [isCut, grown])
  if (shown === '' && !isGrowing) return null
  return (
    <div className={css.output}>
      {isCut && (
        <Button as="quiet" isSmall onClick={() => setWhole(true)}>
          Show the {Math.round((text.length - mostShown) / 1000)} KB before this
        </Button>
      )}
      <pre
        dir="auto"
        ref={box}
        className={[css.text, isError && css.error, isGrowing && css.growing].filter(Boolean).join(' ')}
        {...scrollable}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8
        }}
      >
        {shown}
      </pre>
      <span className={css.copy}>
        <CopyButton text={() => plainOutput(text)} label={`Copy the ${label}`} />
      </span>
    </div>
  )
})
