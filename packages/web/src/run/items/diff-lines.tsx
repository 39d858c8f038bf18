import { unifiedDiff } from '@farhand/kit/unified-diff'
import { memo, useMemo } from 'react'
import { ColouredText } from '../../markdown/coloured-text.tsx'
import { useLineColours } from '../../markdown/use-line-colours.ts'
import { renderList } from '../../ui/render-list.ts'
import { scrollable } from '../../ui/scrollable.ts'
import { type EditDiffRow, editDiffRows } from '../view-model/edit-diff.ts'
import css from './diff-lines.module.css'

type Props = { path: string; before: string | null; after: string }

/** Larger diffs are only shown on the files page. */
const mostLetters = 400_000

/** The lines that an edit changes. */
export const DiffLines = memo(function DiffLines({ path, before, after }: Props) {
  const isTooLong = (before?.length ?? 0) + after.length > mostLetters
  const rows = useMemo(
    () => (isTooLong ? [] : editDiffRows(unifiedDiff(before ?? '', after))),
    [before, after, isTooLong],
  )
  const old = useLineColours(path, before ?? '')
  const now = useLineColours(path, after)
  const colours = ({ is, line }: EditDiffRow) => (line && (is === 'removed' ? old : now)?.[line - 1]) || []
  if (isTooLong) return <p className={css.none}>Too long to be shown here.</p>
  if (rows.length === 0) return <p className={css.none}>Nothing differs.</p>
  return (
    <figure className={css.scroll} {...scrollable} aria-label={`What changes in ${path}`}>
      <table className={css.diff}>
        <tbody>
          {renderList(rows, (row) => (
            <tr className={css[row.is]}>
              <td className={css.number}>{row.line ?? ''}</td>
              <td className={css.sign}>{row.is === 'added' ? '+' : row.is === 'removed' ? '−' : ''}</td>
              <td className={css.text}>
                <bdi>
                  <ColouredText text={row.text} colours={colours(row)} />
                </bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
})
