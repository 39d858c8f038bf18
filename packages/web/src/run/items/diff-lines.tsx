import { unifiedDiff } from '@farhand/kit/unified-diff'
import { memo, useMemo } from 'react'
import { inOrder } from '../../look/in-order.ts'
import { diffRows } from '../diff-rows.ts'
import css from './diff-lines.module.css'

type Props = { before: string | null; after: string }

/** More letters than this are looked at on the page of the files. */
const mostLetters = 400_000

/** What an edit changes, line by line. */
export const DiffLines = memo(function DiffLines({ before, after }: Props) {
  const isTooLong = (before?.length ?? 0) + after.length > mostLetters
  const rows = useMemo(
    () => (isTooLong ? [] : diffRows(unifiedDiff(before ?? '', after))),
    [before, after, isTooLong],
  )
  if (isTooLong) return <p className={css.none}>Too long to be shown here.</p>
  if (rows.length === 0) return <p className={css.none}>Nothing differs.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be so with keys, too.
    <section className={css.scroll} tabIndex={0} aria-label="What changes">
      <table className={css.diff}>
        <tbody>
          {inOrder(rows, (row) => (
            <tr className={css[row.is]}>
              <td className={css.number}>{row.line ?? ''}</td>
              <td className={css.sign}>{row.is === 'added' ? '+' : row.is === 'removed' ? '−' : ''}</td>
              <td className={css.text}>{row.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
})
