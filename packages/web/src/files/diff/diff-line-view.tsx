import { memo, type ReactNode } from 'react'
import type { Coloured } from '../../markdown/code-colours.ts'
import { ColouredText } from '../../markdown/coloured-text.tsx'
import { showHiddenCharacters } from '../../text/show-hidden-characters.ts'
import { renderList } from '../../ui/render-list.ts'
import type { DiffLine } from './diff-rows.ts'
import css from './diff-view.module.css'

const signs = { same: ' ', removed: '−', added: '+' } as const
const spoken = { same: '', removed: 'removed: ', added: 'added: ' } as const

type Props = {
  line: DiffLine | null
  colours: readonly Coloured[] | undefined
  /** Which line numbers to show: both in the unified view, one in each column of the split view. */
  numbers: 'both' | 'old' | 'now'
  onComment: ((line: DiffLine) => void) | null
}

/** One line of a diff; a click on its number starts a comment. */
export const DiffLineView = memo(function DiffLineView({ line, colours, numbers, onComment }: Props) {
  if (!line) return <div className={css.nothing} />
  const number = line.now ?? line.old ?? 0
  const shown = numbers === 'both' ? [line.old, line.now] : [numbers === 'old' ? line.old : line.now]
  return (
    <div className={`${css.line} ${css[line.is]} ${numbers === 'both' ? css.both : ''}`}>
      <button
        type="button"
        className={css.numbers}
        tabIndex={-1}
        disabled={!onComment}
        aria-label={onComment ? `Comment on line ${number}` : `Line ${number}`}
        title={onComment ? 'Comment on this line' : undefined}
        onClick={() => onComment?.(line)}
      >
        {renderList(shown, (one) => (
          <span>{one ?? ''}</span>
        ))}
      </button>
      <span className={css.sign} aria-hidden="true">
        {signs[line.is]}
      </span>
      <span className={css.text}>
        {spoken[line.is] && <span className="visually-hidden">{spoken[line.is]}</span>}
        <bdi>{written(line, colours ?? [])}</bdi>
        {line.isUnended && (
          <span className={css.unended} title="No newline at the end of the file">
            {' '}
            no newline
          </span>
        )}
      </span>
    </div>
  )
})

function written({ text, marks }: DiffLine, colours: readonly Coloured[]): ReactNode {
  const part = (from: number, to: number) => (
    <ColouredText text={text.slice(from, to)} {...{ colours, from }} write={showHiddenCharacters} />
  )
  const ends = [0, ...marks.map(({ to }) => to)]
  return (
    <>
      {renderList(marks, ({ from, to }, nth) => (
        <>
          {part(ends[nth]!, from)}
          <mark>{part(from, to)}</mark>
        </>
      ))}
      {part(ends.at(-1)!, text.length)}
    </>
  )
}
