import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { useLineColours } from '../../markdown/use-line-colours.ts'
import { showHiddenCharacters } from '../../text/show-hidden-characters.ts'
import { Icon } from '../../ui/icon.tsx'
import { scrollable } from '../../ui/scrollable.ts'
import { CommentBox, CommentNote } from './comment-box.tsx'
import type { LineComment } from './comment-message.ts'
import { DiffLineView } from './diff-line-view.tsx'
import { type DiffLine, type SplitRow, sideBySide, withGaps } from './diff-rows.ts'
import css from './diff-view.module.css'
import { findLine, type LinePlace, placeOf } from './line-place.ts'
import type { CommentDraft } from './use-comments.ts'

export type CommentActions = {
  comments: readonly LineComment[]
  add: (comment: Omit<LineComment, 'id'>) => void
  drop: (id: number) => void
  begun: CommentDraft | null
  begin: (path: string, place: LinePlace) => void
  write: (begun: CommentDraft | null) => void
}
type Props = {
  path: string
  lines: readonly DiffLine[]
  isSplit: boolean
  /** Show all lines, also those far from any change. */
  isWhole: boolean
  /** Null for old versions, which cannot be commented on. */
  actions: CommentActions | null
}

/** The lines of a diff, in a virtual list. Arrow keys move by line, n and p by change. */
export function DiffView({ path, lines, isSplit, isWhole, actions }: Props) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [current, setCurrent] = useState<number | null>(null)
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLElement>(null)
  const rows = useMemo((): SplitRow[] => {
    const shown = isWhole ? [...lines] : withGaps(lines, opened)
    if (isSplit) return sideBySide(shown)
    return shown.map((row) => (row.is === 'gap' ? row : { is: 'pair', left: row, right: null }))
  }, [lines, isSplit, isWhole, opened])
  const colourOf = useColours(path, lines)
  const { comments = none, begun = null, begin, write } = actions ?? {}
  const here = useMemo(
    () =>
      comments
        .filter((one) => one.path === path)
        .map((comment) => ({ comment, row: findLine(rows, comment)?.row ?? null })),
    [comments, path, rows],
  )
  const writing = begun?.path === path ? begun : null
  const spot = useMemo(() => writing && findLine(rows, writing), [writing, rows])
  const onComment = useCallback((line: DiffLine) => begin?.(path, placeOf(line)), [begin, path])
  const done = () => {
    write?.(null)
    box.current?.focus()
  }
  const notesAt = (row: number | null) =>
    here
      .filter((one) => one.row === row)
      .map(({ comment }) => (
        <CommentNote key={comment.id} comment={comment} onDrop={() => actions?.drop(comment.id)} />
      ))
  const field = writing && (
    <CommentBox
      text={writing.text}
      place={spot?.place ?? writing}
      onText={(text) => write?.({ ...writing, ...spot?.place, text })}
      onCancel={done}
      onAdd={() => {
        actions?.add({ ...writing, ...spot?.place, text: writing.text.trim() })
        done()
      }}
    />
  )
  const isLost = (writing !== null && spot === null) || here.some(({ row }) => row === null)
  const open = (from: number) => setOpened((now) => new Set([...now, from]))

  const at = rows[current ?? -1]
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const to = target(event.key, current, rows)
    if (to !== null) {
      setCurrent(to)
      list.current?.scrollToIndex(to, { align: 'nearest' })
    } else if ((event.key === 'Enter' || event.key === 'c') && at) {
      if (at.is === 'gap') open(at.from)
      else if (actions) onComment((at.right ?? at.left)!)
    } else return
    event.preventDefault()
  }
  return (
    <section
      ref={box}
      className={css.box}
      aria-label={`Lines of ${showHiddenCharacters(path)}`}
      {...scrollable}
      onKeyDown={onKeyDown}
    >
      <p className="visually-hidden" aria-live="polite">
        {at && inWords(at)}
      </p>
      {isLost && (
        <div className={css.lost}>
          {notesAt(null)}
          {writing && spot === null && (
            <>
              <p>
                This comment is about a line that is not shown:{' '}
                <q>{showHiddenCharacters(writing.quoted.trim())}</q>
              </p>
              {field}
            </>
          )}
        </div>
      )}
      <VList ref={list} className="virtual-list" tabIndex={-1} data={rows}>
        {(row, nth) => (
          <div key={keyOf(row)} className={nth === current ? css.current : ''}>
            {row.is === 'gap' ? (
              <button type="button" className={css.gap} tabIndex={-1} onClick={() => open(row.from)}>
                <Icon name="chevron-down" size={14} />
                {`Show ${row.count} unchanged lines`}
              </button>
            ) : (
              <>
                <div className={`${css.row} ${isSplit ? css.split : ''}`}>
                  <DiffLineView
                    line={row.left}
                    colours={colourOf(row.left)}
                    numbers={isSplit ? 'old' : 'both'}
                    onComment={actions && onComment}
                  />
                  {isSplit && (
                    <DiffLineView
                      line={row.right}
                      colours={colourOf(row.right)}
                      numbers="now"
                      onComment={actions && onComment}
                    />
                  )}
                </div>
                {notesAt(nth)}
                {spot?.row === nth && field}
              </>
            )}
          </div>
        )}
      </VList>
    </section>
  )
}

/** Each side is highlighted as a whole file: the meaning of a line often depends on lines far above. */
function useColours(path: string, lines: readonly DiffLine[]) {
  const [before, after] = useMemo(() => [sideOf(lines, 'added'), sideOf(lines, 'removed')], [lines])
  const old = useLineColours(path, before)
  const now = useLineColours(path, after)
  return (line: DiffLine | null) =>
    line?.now ? now?.[line.now - 1] : line?.old ? old?.[line.old - 1] : undefined
}

const sideOf = (lines: readonly DiffLine[], without: 'added' | 'removed') =>
  lines.flatMap(({ is, text }) => (is === without ? [] : [text])).join('\n')

const none: readonly LineComment[] = []

/** Announced to screen readers when the current line changes. */
function inWords(row: SplitRow): string {
  if (row.is === 'gap') return `${row.count} unchanged lines. Press Enter to show them.`
  const line = (row.right ?? row.left)!
  return `Line ${line.now ?? line.old}, ${line.is}: ${line.text}`
}

const keyOf = (row: SplitRow) =>
  row.is === 'gap'
    ? `gap ${row.from}`
    : `${row.left?.old ?? ''} ${row.left?.now ?? ''} ${row.right?.now ?? ''}`

const isChange = (row: SplitRow | undefined) =>
  row?.is === 'pair' && (row.left?.is ?? row.right?.is) !== 'same'

/** The row that a key moves to. */
function target(key: string, current: number | null, rows: readonly SplitRow[]): number | null {
  const from = current ?? -1
  const last = rows.length - 1
  if (last < 0) return null
  if (key === 'ArrowDown') return Math.min(last, from + 1)
  if (key === 'ArrowUp') return Math.max(0, from - 1)
  if (key === 'PageDown') return Math.min(last, from + 20)
  if (key === 'PageUp') return Math.max(0, from - 20)
  if (key === 'Home') return 0
  if (key === 'End') return last
  const begins = (at: number) => isChange(rows[at]) && !isChange(rows[at - 1])
  const all = rows.flatMap((_, at) => (begins(at) ? [at] : []))
  if (key === 'n') return all.find((at) => at > from) ?? null
  if (key === 'p') return all.findLast((at) => at < from) ?? null
  return null
}
