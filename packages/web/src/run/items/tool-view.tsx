import { unifiedDiff } from '@farhand/kit/unified-diff'
import type { ToolItem } from '@farhand/story/items/story'
import { durationInWords } from '@farhand/story/wording/duration-in-words'
import { isRejected, toolKindInWords, toolTitle, workedMs } from '@farhand/story/wording/tool-in-words'
import { memo, useMemo } from 'react'
import type { UnsentAction } from '../../outbox/actions.ts'
import { AskedText } from '../../output/asked-text.tsx'
import { LongText } from '../../output/long-text.tsx'
import { type OpenSections, useOpenSection } from '../../output/open-sections.ts'
import { QuestionControls } from '../../questions/question-controls.tsx'
import { TimeSince } from '../../time/time-since.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { countEditDiff, editDiffRows } from '../view-model/edit-diff.ts'
import { ToolContent } from './tool-content.tsx'
import css from './tool-view.module.css'

type Props = {
  item: ToolItem
  openSections: OpenSections
  onAnswer: (questionId: string, answer: unknown) => void
  onResend: (key: string) => void
  fetchBlob: (hash: string) => Promise<Uint8Array>
  unsent: UnsentAction | null
  hasKeys: boolean
}

const icons = new Map<string, IconName>([
  ['read', 'eye'],
  ['edit', 'edit'],
  ['delete', 'trash'],
  ['move', 'move'],
  ['search', 'search'],
  ['execute', 'terminal'],
  ['think', 'thought'],
  ['fetch', 'globe'],
  ['switch_mode', 'settings'],
])

const states = {
  pending: 'not started',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
} as const

/** A tool call, in a card that updates. A permission request for it is answered inside. */
export const ToolView = memo(function ToolView({
  item,
  openSections,
  onAnswer,
  onResend,
  fetchBlob,
  unsent,
  hasKeys,
}: Props) {
  const { question, status } = item
  const isRefused = isRejected(item)
  const count = useMemo(() => changes(item), [item])
  const isAsked = question?.state === 'open'
  const [isOpen, toggle] = useOpenSection(
    openSections,
    `${item.id}`,
    isAsked || (status === 'failed' && !isRefused) || isShort(count),
  )
  return (
    <article
      className={`${css.card} ${isAsked ? css.asked : ''}`}
      aria-label={`${toolKindInWords(item.what)}: ${toolTitle(item)}`}
    >
      <button type="button" className={css.head} aria-expanded={isOpen} onClick={toggle}>
        <Icon name={icons.get(item.what) ?? 'tool'} size={16} />
        <span dir="auto" className={item.what === 'execute' ? `${css.title} ${css.mono}` : css.title}>
          {toolTitle(item)}
        </span>
        {count && (
          <span className={css.count}>
            <span className={css.added}>+{count.added}</span>{' '}
            <span className={css.removed}>−{count.removed}</span>
          </span>
        )}
        <span className={css.state}>
          <State item={item} />
        </span>
        <span className="visually-hidden">, {isRefused ? 'rejected' : states[status]}</span>
        <Icon name="chevron-right" size={14} />
      </button>
      {isOpen && <ToolContent item={item} fetchBlob={fetchBlob} />}
      {question && (
        <div className={css.question}>
          {(question.text !== item.title || question.cuts.length > 0) && isAsked && (
            <LongText item={question} {...{ openSections, fetchBlob }}>
              {(text) => <AskedText className={css.words} text={text} />}
            </LongText>
          )}
          <QuestionControls
            question={question}
            onAnswer={(answer) => onAnswer(question.asked.questionId, answer)}
            unsent={unsent}
            onResend={onResend}
            hasKeys={hasKeys}
          />
        </div>
      )}
    </article>
  )
})

function State({ item }: { item: ToolItem }) {
  const { status, exitCode, at } = item
  if (status === 'pending' || status === 'in_progress') {
    if (item.question?.state === 'open') return <Badge tone="warn">Needs you</Badge>
    return (
      <>
        <TimeSince at={new Date(Date.parse(at) + item.waitedMs).toISOString()} isElapsed />{' '}
        <Spinner size={12} />
      </>
    )
  }
  const isBad = status === 'failed' || (exitCode !== null && exitCode !== 0)
  const ms = workedMs(item)
  const took = ms === null ? '' : durationInWords(ms)
  // The user knows that they rejected it, and a duration means nothing here.
  if (isRejected(item)) return <Badge tone="plain">rejected</Badge>
  if (!isBad) return took
  return (
    <>
      {took} <Badge tone="bad">{exitCode === null ? 'failed' : `exit ${exitCode}`}</Badge>
    </>
  )
}

function changes({ content }: ToolItem): { added: number; removed: number } | null {
  const diffs = content.filter((part) => part.is === 'diff')
  if (diffs.length === 0 || diffs.some(({ before, after }) => (before?.length ?? 0) + after.length > 200_000))
    return null
  return countEditDiff(
    diffs.flatMap(({ before, after }) => editDiffRows(unifiedDiff(before ?? '', after, 0))),
  )
}

const isShort = (count: { added: number; removed: number } | null) =>
  count !== null && count.added + count.removed > 0 && count.added + count.removed <= 24
