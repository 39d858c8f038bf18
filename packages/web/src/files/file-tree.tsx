import { type KeyboardEvent, memo, useMemo, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'
import { Icon } from '../ui/icon.tsx'
import css from './file-tree.module.css'
import { treeRows } from './tree-rows.ts'

/** `from`: the old path of a renamed file. */
export type TreeFile = {
  path: string
  how: 'added' | 'changed' | 'deleted' | 'renamed' | null
  from: string | null
}
type Props = {
  label: string
  files: readonly TreeFile[]
  chosen: string | null
  /** Whether folders are open until the user closes them. */
  isOpen: boolean
  onChoose: (path: string) => void
}

const letters = { added: 'A', changed: 'M', deleted: 'D', renamed: 'R' } as const

/** A tree of files. Tab reaches one entry; arrow keys move between entries. */
export const FileTree = memo(function FileTree({ label, files, chosen, isOpen, onChoose }: Props) {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const [focused, setFocused] = useState<string | null>(null)
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const rows = useMemo(
    () => treeRows(files, (folder) => isOpen !== turned.has(folder)),
    [files, isOpen, turned],
  )
  const turn = (folder: string) =>
    setTurned((now) => {
      const next = new Set(now)
      if (!next.delete(folder)) next.add(folder)
      return next
    })
  const at = Math.max(
    0,
    rows.findIndex(({ path }) => path === (focused ?? chosen)),
  )
  const move = (to: number) => {
    const row = rows[to]
    if (!row) return
    setFocused(row.path)
    list.current?.scrollToIndex(to, { align: 'nearest' })
    // The row may be rendered only after the scroll.
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus({ preventScroll: true }),
    )
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at]
    if (event.key === 'ArrowDown') move(at + 1)
    else if (event.key === 'ArrowUp') move(at - 1)
    else if (event.key === 'Home') move(0)
    else if (event.key === 'End') move(rows.length - 1)
    else if (event.key === 'ArrowRight' && row?.is === 'folder' && !row.isOpen) turn(row.path)
    else if (event.key === 'ArrowLeft' && row?.is === 'folder' && row.isOpen) turn(row.path)
    else if (event.key === 'ArrowLeft' && row)
      move(rows.findLastIndex((one, nth) => nth < at && one.depth < row.depth))
    else return
    event.preventDefault()
  }
  return (
    <nav className={css.tree} aria-label={label} ref={box} onKeyDown={onKeyDown}>
      <VList ref={list} className="virtual-list" data={rows}>
        {(row, nth) => (
          <button
            key={`${row.is} ${row.path}`}
            type="button"
            data-row={nth}
            tabIndex={nth === at ? 0 : -1}
            className={`${css.row} ${row.path === chosen ? css.chosen : ''}`}
            style={{ paddingLeft: `${10 + row.depth * 14}px` }}
            {...(row.is === 'folder'
              ? { 'aria-expanded': row.isOpen }
              : { 'aria-current': row.path === chosen ? ('true' as const) : undefined })}
            onFocus={() => setFocused(row.path)}
            onClick={() => (row.is === 'folder' ? turn(row.path) : onChoose(row.path))}
          >
            <Icon
              name={row.is === 'file' ? 'file' : row.isOpen ? 'chevron-down' : 'chevron-right'}
              size={15}
            />
            <span className={css.name} dir="auto">
              {showHiddenCharacters(row.name)}
            </span>
            {row.is === 'folder' && !row.isOpen && <span className={css.count}>{row.count}</span>}
            {row.is === 'file' && row.file.how && (
              <span className={`${css.how} ${css[row.file.how]}`} title={howInWords(row.file)}>
                <span aria-hidden="true">{letters[row.file.how]}</span>
                <span className="visually-hidden">, {howInWords(row.file)}</span>
              </span>
            )}
          </button>
        )}
      </VList>
    </nav>
  )
})

const howInWords = ({ how, from }: TreeFile) =>
  from === null ? (how ?? '') : `renamed from ${showHiddenCharacters(from)}`
