import { memo, type ReactNode, useEffect, useState } from 'react'
import { whenIdle } from '../scheduling/when-idle.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { scrollable } from '../ui/scrollable.ts'
import css from './code-block.module.css'

type Props = { text: string; lang: string; isGrowing: boolean }

/** Colouring more than this takes too long. */
const mostColoured = 40_000

/** Code with a copy button. It is coloured when it is complete; the highlighter is loaded only then. */
export const CodeBlock = memo(function CodeBlock({ text, lang, isGrowing }: Props) {
  const coloured = useColours(text, lang, isGrowing)
  return (
    <figure className={css.figure}>
      <figcaption className={css.head}>
        <span>{lang}</span>
        <CopyButton text={text} label="Copy the code" />
      </figcaption>
      <pre className={css.code} {...scrollable}>
        <code>{coloured ?? text}</code>
      </pre>
    </figure>
  )
})

function useColours(text: string, lang: string, isGrowing: boolean): ReactNode | null {
  const [coloured, setColoured] = useState<{ text: string; nodes: ReactNode } | null>(null)
  useEffect(() => {
    if (isGrowing || lang === '' || text.length > mostColoured) return
    let isWanted = true
    const loaded = whenIdle().then(() => import('./coloured-code.tsx'))
    loaded.then(
      ({ colouredCode }) => isWanted && setColoured({ text, nodes: colouredCode(text, lang) }),
      () => {}, // Offline, and the highlighter was never loaded: show the code without colours.
    )
    return () => {
      isWanted = false
    }
  }, [text, lang, isGrowing])
  return coloured?.text === text ? coloured.nodes : null
}
