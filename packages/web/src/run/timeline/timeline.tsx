import type { QuestionItem } from '@farhand/story/items/story'
import {
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { pathOf } from '../../navigation/route.ts'
import { useShortcut } from '../../navigation/shortcuts.ts'
import type { UnsentAction } from '../../outbox/actions.ts'
import type { OpenSections } from '../../output/open-sections.ts'
import { Icon } from '../../ui/icon.tsx'
import { scrollable } from '../../ui/scrollable.ts'
import { itemIndex, type ShownItem } from '../view-model/shown-items.ts'
import { type ItemActions, ItemView } from './item-view.tsx'
import css from './timeline.module.css'
import { useStickToEnd } from './use-stick-to-end.ts'

type Props = {
  run: string
  items: readonly ShownItem[]
  /** The event in the address; null: show the end. */
  event: number | null
  actions: ItemActions
  unsent: readonly UnsentAction[]
  /** How often the user has sent something from here; each time the timeline scrolls to its end. */
  sentCount: number
  /** The item that can be retried. */
  retryable: number | null
}

/** The estimated height of a row before it is measured. With less, the list would render many more rows than fit. */
const likelyPx = 120

/** The items of a run, in a virtual list. It sticks to its end unless the user scrolls up. */
export const Timeline = memo(function Timeline(props: Props) {
  const { run, items, event, actions, unsent, sentCount, retryable } = props
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [openSections] = useState<OpenSections>(() => new Map())
  const { isAtEnd, unseen, onScroll, toEnd, follow, leave } = useStickToEnd(scroller, items.length)
  const asked = useMemo(() => firstAsked(items), [items])
  const keyed = items[asked]?.id ?? null
  const [isAskedInSight, look] = useInSight(list, asked)

  const looksAt = event === null ? -1 : itemIndex(items, event)
  useEffect(() => {
    if (looksAt < 0) return
    leave()
    list.current?.scrollToIndex(looksAt, { align: 'start', offset: -24 })
  }, [looksAt, leave])
  useEffect(() => {
    if (sentCount > 0) toEnd()
  }, [sentCount, toEnd])

  const row = useCallback(
    (item: ShownItem, at: number) => (
      <div
        key={item.id}
        className={css.row}
        data-kind={item.kind}
        data-event={item.id}
        data-looked-at={at === looksAt || undefined}
      >
        <ItemView
          item={item}
          link={pathOf({ is: 'run', run, part: 'talk', event: item.id })}
          openSections={openSections}
          actions={actions}
          unsent={unsentOf(item, unsent)}
          hasKeys={item.id === keyed}
          canRetry={item.id === retryable}
        />
      </div>
    ),
    [run, openSections, actions, unsent, keyed, looksAt, retryable],
  )
  useShortcut('G', 'Go to the end', 'This run', toEnd)
  return (
    <div className={css.timeline}>
      <div
        ref={scroller}
        className={`${css.scroller} virtual-list`}
        onScroll={() => {
          onScroll()
          look()
        }}
        role="log"
        aria-live="off"
        aria-label="Timeline"
        {...scrollable}
      >
        <div className={css.top} />
        <Virtualizer ref={list} data={items} startMargin={16} itemSize={likelyPx} onResize={follow}>
          {row}
        </Virtualizer>
        <div className={css.bottom} />
      </div>
      {!isAtEnd && (isAskedInSight || keyed === null) && (
        <button type="button" className={css.end} onClick={toEnd}>
          <Icon name="down" size={16} />
          {unseen > 0 ? `${unseen} new` : 'To the end'}
        </button>
      )}
      {!isAtEnd && !isAskedInSight && keyed !== null && (
        <button
          type="button"
          className={`${css.end} ${css.asks}`}
          onClick={() => list.current?.scrollToIndex(asked, { align: 'center' })}
        >
          <Icon name="question" size={16} />
          Needs you
        </button>
      )}
    </div>
  )
})

const questionOf = (item: ShownItem): QuestionItem | null =>
  item.kind === 'question' ? item : item.kind === 'tool' ? item.question : null

/** The index of the oldest open question: the keys 1 to 9 answer it. */
function firstAsked(items: readonly ShownItem[]): number {
  return items.findIndex((item) => questionOf(item)?.state === 'open')
}

function unsentOf(item: ShownItem, unsent: readonly UnsentAction[]): UnsentAction | null {
  const id = questionOf(item)?.asked.questionId
  if (id === undefined) return null
  return unsent.findLast(({ action }) => action.do === 'answer' && action.questionId === id) ?? null
}

/** Whether any part of that row is visible, and a function to call after each scroll. -1: there is no such row. */
function useInSight(list: RefObject<VirtualizerHandle | null>, row: number): [boolean, () => void] {
  const [isInSight, setInSight] = useState(false)
  const look = useCallback(() => {
    const rows = list.current
    if (!rows || row < 0) return
    const top = rows.getItemOffset(row) - rows.scrollOffset
    setInSight(top < rows.viewportSize && top + rows.getItemSize(row) > 0)
  }, [list, row])
  useLayoutEffect(look, [look])
  return [isInSight, look]
}
