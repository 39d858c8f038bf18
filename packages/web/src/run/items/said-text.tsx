import { memo } from 'react'
import { CodeBlock } from '../../markdown/code-block.tsx'
import { fencedParts } from '../../markdown/fenced-parts.ts'
import { replaceBidiControls } from '../../text/replace-bidi-controls.ts'
import { renderList } from '../../ui/render-list.ts'
import css from './message-view.module.css'

/** The user's text as typed, with fenced code shown as code. */
export const SaidText = memo(function SaidText({ text }: { text: string }) {
  return renderList(fencedParts(text), (part) =>
    part.is === 'words' ? (
      replaceBidiControls(part.text)
    ) : (
      <div className={css.code}>
        <CodeBlock text={replaceBidiControls(part.text)} lang={part.lang} isGrowing={false} />
      </div>
    ),
  )
})
