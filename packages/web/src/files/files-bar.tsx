import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { SegmentedControl } from '../ui/segmented-control.tsx'
import css from './files-page.module.css'
import { pointInWords } from './history/point-in-words.ts'
import type { Point } from './history/run-files.ts'

type Props = {
  points: readonly Point[]
  point: Point
  onPoint: (point: Point) => void
  isAll: boolean
  onAll: (isAll: boolean) => void
  counts: { changed: number; all: number }
  downloads: readonly MenuEntry[]
}

/** Chooses what to compare the files with and which files to list, and offers downloads. */
export function FilesBar({ points, point, onPoint, isAll, onAll, counts, downloads }: Props) {
  const entries = points.map(
    (one): MenuEntry => ({
      label: pointInWords(one),
      ...(one.is !== 'beginning' && {
        note: new Date(one.at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }),
      }),
      isChosen: one === point,
      onChoose: () => onPoint(one),
    }),
  )
  return (
    <div className={css.bar}>
      <div className={css.line}>
        <span className={css.since}>Since</span>
        <Menu
          label={`Compare with: ${pointInWords(point)}`}
          face={pointInWords(point)}
          entries={entries}
          opens="down-right"
        />
        <span className={css.room} />
        <Menu label="Save the files" icon="download" entries={downloads} />
      </div>
      <SegmentedControl
        label="Which files to list"
        value={isAll ? 'all' : 'changed'}
        onChoose={(which) => onAll(which === 'all')}
        values={[
          { value: 'changed', words: <Counted words="Changed" count={counts.changed} /> },
          { value: 'all', words: <Counted words="All files" count={counts.all} /> },
        ]}
      />
    </div>
  )
}

const Counted = ({ words, count }: { words: string; count: number }) => (
  <>
    {words} <span className={css.number}>{count.toLocaleString('en')}</span>
  </>
)
