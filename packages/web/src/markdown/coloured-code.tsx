import type { ReactNode } from 'react'
import { renderList } from '../ui/render-list.ts'
import { codeColours } from './code-colours.ts'
import { ColouredText } from './coloured-text.tsx'

/** Code in colours; null for an unknown language. */
export function colouredCode(text: string, lang: string): ReactNode | null {
  const colours = codeColours(text, lang)
  const lines = text.split('\n')
  return (
    colours &&
    renderList(lines, (line, nth) => (
      <>
        <ColouredText text={line} colours={colours[nth] ?? []} />
        {nth < lines.length - 1 && '\n'}
      </>
    ))
  )
}
