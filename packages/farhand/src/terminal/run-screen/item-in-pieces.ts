import { pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { FreshPart } from '@farhand/story/fold/fresh-parts'
import { shownText as withoutCuts } from '@farhand/story/items/cut-text'
import type {
  ChangedPath,
  FilesItem,
  Item,
  MarkItem,
  MessageItem,
  NoticeItem,
  PlanItem,
  ThoughtItem,
  ToolItem,
  TurnEndItem,
  WordsItem,
} from '@farhand/story/items/story'
import { markInWords } from '@farhand/story/wording/mark-in-words'
import { toolTitle } from '@farhand/story/wording/tool-in-words'
import { turnEndInWords } from '@farhand/story/wording/turn-end-in-words'
import { lastLines, toolOutput } from '../output/tool-output.ts'
import { firstLine, shownText } from '../printing/shown-text.ts'
import type { Piece } from './piece.ts'

const manyFiles = 5

export type Where = {
  /** Whether the agent works in a sandbox: then its files arrive here. */
  isFar: boolean
  /** No message has begun: the files that the run begins with are not listed. */
  isBeginning: boolean
}

/**
 * What is new of an item for a reader who has read it as it was `before`; null: they have not read any of it. Questions are
 * not among it: what is new of them depends on what the user did. `fresh`: what was added, if it is known.
 */
export function itemInPieces(
  item: Item,
  before: Item | null,
  where: Where,
  fresh: FreshPart | null = null,
): Piece[] {
  const known = fresh?.since === before ? fresh : null
  switch (item.kind) {
    case 'words':
    case 'thought':
      return textInPieces(item, sameKind(item, before), known && 'text' in known ? known.text : null)
    case 'message':
      return messageInPieces(item, sameKind(item, before))
    case 'tool':
      return item.report
        ? reportInPieces(item, item.report, sameKind(item, before))
        : toolInPieces(item, sameKind(item, before))
    case 'plan':
      return planInPieces(item, sameKind(item, before))
    case 'files':
      return filesInPieces(
        item,
        known && 'files' in known ? known.files : freshFiles(item, sameKind(item, before)),
        where,
      )
    case 'notice':
      return noticeInPieces(item, sameKind(item, before))
    case 'mark':
      return markInPieces(item, sameKind(item, before))
    case 'turn-end':
      return before === null ? turnEndInPieces(item) : []
    case 'question':
    case 'shell':
      return []
  }
}

const sameKind = <Kind extends Item>({ kind }: Kind, before: Item | null): Kind | null =>
  before?.kind === kind ? (before as Kind) : null

const line = (text: string): Piece => ({ as: 'line', text })
const faint = (text: string): Piece => ({ as: 'faint', text })
const warning = (text: string): Piece => ({ as: 'warning', text })

/** What was added to a text; all of it if it was replaced. */
const added = (text: string, before: string | undefined) =>
  before !== undefined && text.startsWith(before) ? text.slice(before.length) : text

function textInPieces<Text extends WordsItem | ThoughtItem>(
  item: Text,
  before: Text | null,
  fresh: string | null,
): Piece[] {
  // It only grows: comparing it with what was read would take longer with each word.
  const text = fresh ?? withoutCuts(item).slice(before ? withoutCuts(before).length : 0)
  const isEnd = !item.isOpen && (before === null || before.isOpen)
  return [...(text === '' ? [] : [{ as: item.kind, text }]), ...(isEnd ? [{ as: 'end' as const }] : [])]
}

function messageInPieces({ text, state }: MessageItem, before: MessageItem | null): Piece[] {
  const isBegun = (state === 'taken' || state === 'joined') && before?.state !== state
  const first = state === 'withdrawn' ? '' : text
  // What only the agent tells of a message comes piece by piece.
  const news = before === null ? first : state === 'over' ? added(text, before.text) : ''
  return [
    ...(news === '' ? [] : [line(`> ${news}`)]),
    ...(isBegun ? [{ as: 'status' as const, text: 'working' }] : []),
  ]
}

function reportInPieces(
  { title, content: [content], exitCode }: ToolItem,
  { text, length, isTitled }: NonNullable<ToolItem['report']>,
  before: ToolItem | null,
): Piece[] {
  const fresh = length - (before?.report?.length ?? 0)
  const news = text.slice(Math.max(0, text.length - fresh))
  const whole = content?.is === 'blob' ? `${title} (${content.hash})` : title
  const isFailed = exitCode !== null && exitCode !== 0 && before?.exitCode !== exitCode
  return [
    ...(isTitled && before === null ? [faint(whole)] : []),
    ...(news.trim() === '' ? [] : [faint(lastLines(news))]),
    ...(isFailed ? [faint(`It ended with exit code ${exitCode}.`)] : []),
  ]
}

/** The name of a tool on a terminal, which shows no kind beside it. */
export const toolName = (item: ToolItem) => firstLine(item.title) || firstLine(toolTitle(item))

const isOver = ({ status }: ToolItem) => status === 'completed' || status === 'failed'

function toolInPieces(item: ToolItem, before: ToolItem | null): Piece[] {
  const name = toolName(item)
  const tool = { as: 'tool' as const, id: item.id, name, kind: item.what }
  if (!isOver(item)) return [{ ...tool, state: 'begun', output: [], changes: [] }]
  if (before && isOver(before)) return []
  const output = toolOutput(item)
  const isFailed = item.status === 'failed'
  return [
    {
      ...tool,
      state: isFailed ? 'failed' : 'done',
      output: output.length === 1 && output[0] === name ? [] : output,
      changes: isFailed ? [] : changesOf(item),
    },
  ]
}

/** The changes of files that a tool reports, as ACP writes them. */
export const changesOf = ({ content }: ToolItem) =>
  content.flatMap((part) =>
    part.is === 'diff'
      ? [{ type: 'diff' as const, path: part.path, oldText: part.before, newText: part.after }]
      : [],
  )

const boxes = { completed: '[x]', in_progress: '[>]', pending: '[ ]' } as const

function planInPieces({ steps }: PlanItem, before: PlanItem | null): Piece[] {
  const known = new Map(before?.steps.map(({ text, status }) => [text, status]))
  return steps.flatMap(({ text, status }) =>
    known.get(text) === status ? [] : [line(`${boxes[status]} ${firstLine(text)}`)],
  )
}

function freshFiles(item: FilesItem, before: FilesItem | null): readonly ChangedPath[] {
  const known = new Map(before?.files.map(({ path, action }) => [path, action]))
  return item.files.filter(({ path, action }) => known.get(path) !== action)
}

function filesInPieces(
  { by }: FilesItem,
  fresh: readonly ChangedPath[],
  { isFar, isBeginning }: Where,
): Piece[] {
  const comesIn = (by.kind === 'runner') === isFar
  const arrow = comesIn ? '←' : '→'
  // The progress line shows the first files of a run.
  if (fresh.length > manyFiles && isBeginning && !comesIn) return []
  if (fresh.length > manyFiles) return [faint(`${arrow} ${fresh.length.toLocaleString('en')} files`)]
  return fresh.map((file) => {
    const path = pathInWords(file.path)
    if (file.action === 'renamed') return faint(`${arrow} ${path}  renamed from ${pathInWords(file.from)}`)
    return faint(`${arrow} ${path}${file.action === 'modified' ? '' : `  ${file.action}`}`)
  })
}

function noticeInPieces(item: NoticeItem, before: NoticeItem | null): Piece[] {
  const text = added(withoutCuts(item), before ? withoutCuts(before) : undefined).trim()
  return text === '' ? [] : [item.level === 'info' ? faint(text) : warning(text)]
}

function turnEndInPieces(item: TurnEndItem): Piece[] {
  const { stopReason, error, raw } = item
  // An agent that ends its turn without any text says why in the error: its model may have failed.
  if (stopReason === 'end_turn') return error === null ? [] : [warning(error)]
  const text = `${turnEndInWords(item).words}.${error === null ? '' : ` ${error}`}`
  return [raw === null ? warning(text) : { as: 'warning', text, raw: shownText(raw) }]
}

/** The marks that someone who sees the run at work reads; the others say what they see already. */
function markInPieces({ mark }: MarkItem, before: MarkItem | null): Piece[] {
  const { words, more, tone, isUnderWay } = markInWords(mark)
  if (isUnderWay) return [{ as: 'status', text: words }]
  const said = more === undefined ? `${words}.` : `${words}: ${firstLine(more, 500)}`
  switch (mark.is) {
    case 'phase':
      return [tone ? warning(said) : faint(said)]
    case 'status':
      // An error tells the reason of a failure.
      if (mark.status === 'failed') return [warning(`${words}.`)]
      return mark.status === 'queued' ? [warning(said)] : mark.status === 'asleep' ? [faint(said)] : []
    case 'agent':
      return mark.how === 'briefed' ? [faint(said)] : []
    case 'rewind':
      return before === null ? [faint(said)] : []
    case 'forked':
      return [faint(`${words} ${runInWords(mark.run)} after event ${mark.event}.`)]
    case 'moved':
      return [faint(said)]
    case 'pull-request':
      return [line(said)]
    default:
      return tone ? [warning(said)] : []
  }
}
