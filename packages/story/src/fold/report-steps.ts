import { UserMessageChunk } from '@farhand/protocol/methods/agent'
import type { FileContent } from '@farhand/protocol/methods/files'
import type { Artifact, Console } from '@farhand/protocol/methods/reports'
import type { SandboxOutput } from '@farhand/protocol/methods/shell'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { directText, shownText } from '../items/cut-text.ts'
import type { ToolContent, ToolItem } from '../items/story.ts'
import { rawStep, type Step, type Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'

/** The longest text kept per card: a program that prints for hours would fill the browser's memory. */
const mostText = 200_000

/** A report outside the conversation, shown as a card like that of a tool. */
function card(
  { id, timestamp }: SeenEvent,
  said: Pick<ToolItem, 'title' | 'what' | 'content' | 'report'>,
): ToolItem {
  return {
    kind: 'tool',
    id,
    at: timestamp,
    call: `report ${id}`,
    status: 'completed',
    places: [],
    command: null,
    exitCode: null,
    input: null,
    output: null,
    endedAt: timestamp,
    waitedMs: 0,
    waitsSince: null,
    workspace: null,
    question: null,
    ...said,
  }
}

const text = (said: string): ToolContent[] =>
  said === '' ? [] : [{ is: 'text', text: said.slice(-mostText) }]
const blob = (hash: string): ToolContent[] => [{ is: 'blob', head: '', hash, size: 0, isJson: false }]

/** Adds to the card of this name if it is the last item; otherwise starts a new card. */
function append(draft: StoryDraft, name: string, begun: ToolItem): void {
  const at = draft.place(name)
  const before = at === draft.items.length - 1 ? draft.find('tool', name) : null
  if (!before || before.exitCode !== null) {
    draft.add(begun, name)
    return
  }
  const [old, added] = [before.content[0], begun.content[0]]
  const joined = `${old?.is === 'text' ? old.text : ''}${added?.is === 'text' ? added.text : ''}`
  const { exitCode, status, endedAt } = begun
  const report = untitled(`${before.report?.text}${begun.report?.text}`)
  report.length = before.report!.length + begun.report!.length
  draft.replace(name, { ...before, content: text(joined), report, exitCode, status, endedAt })
}

const untitled = (said: string) => ({ text: said.slice(-mostText), length: said.length, isTitled: false })
const titled = (said: string) => ({ ...untitled(said), isTitled: true })

/** Levels that only help to find faults. */
const isQuiet = (level: string) => level === 'debug' || level === 'trace'

/** Warnings and errors are items of their own; everything else goes into one card. */
const isLoud = (level: string) => ['warn', 'warning', 'error'].includes(level)

/** Console output below the level of a warning. */
export function addConsoleOutput(draft: StoryDraft, { level }: Console, event: SeenEvent): void {
  const said = directText(event.notification.params ?? {}, 'message')
  if (isLoud(level) || !said) return
  const line = shownText(said)
  const ended = line.endsWith('\n') ? line : `${line}\n`
  const report = untitled(isQuiet(level) ? '' : ended)
  append(draft, 'console', card(event, { title: 'Console', what: 'other', content: text(ended), report }))
}

/** Output that belongs to no shell command of the user, as in seed 001. */
export function addSandboxOutput(draft: StoryDraft, { exitCode }: SandboxOutput, event: SeenEvent): void {
  const { params = {} } = event.notification
  const said = ['stdout', 'stderr'].flatMap((name) => directText(params, name) ?? [])
  const printed = said.map(shownText).join('')
  const content = text(printed)
  if (content.length === 0 && exitCode === undefined) return
  const report = untitled(printed)
  const item = card(event, { title: 'Output of the sandbox', what: 'execute', content, report })
  const code = exitCode ?? null
  const status = code === null || code === 0 ? 'completed' : 'failed'
  append(draft, 'bare output', { ...item, exitCode: code, status })
}

function artifact(draft: StoryDraft, { kind, name, content, hash }: Artifact, event: SeenEvent): void {
  const direct = directText(event.notification.params ?? {}, 'content')
  const fullText = direct ? shownText(direct) : content === undefined ? '' : JSON.stringify(content, null, 2)
  const title = `Artifact: ${name ?? kind}`
  draft.endWords()
  const report = titled(hash ? '' : fullText)
  draft.add(card(event, { title, what: 'other', content: hash ? blob(hash) : text(fullText), report }))
}

function content(draft: StoryDraft, { path, hash, missing }: FileContent, event: SeenEvent): void {
  const said = directText(event.notification.params ?? {}, 'content')
  const shown = missing ? 'There is no such file.' : said && !hash ? shownText(said) : ''
  const found = hash && !missing ? blob(hash) : text(shown)
  const item = card(event, {
    title: `Content of ${path}`,
    what: 'read',
    content: found,
    report: titled(shown),
  })
  draft.endWords()
  draft.add({ ...item, places: [{ path, line: null }], status: missing ? 'failed' : 'completed' })
}

/** Agents repeat messages; only text that no message contains is shown. */
const echo: Step = (draft, event) => {
  const said = UserMessageChunk.safeParse(event.notification.params ?? {}).data
  if (!said || said.text === '') return
  const messages = [...draft.items, ...draft.queue].filter((item) => item.kind === 'message')
  if (messages.some((message) => message.text.includes(said.text))) return
  draft.endWords()
  const last = draft.items.at(-1)
  const isMore = last?.kind === 'message' && draft.place('echo') === draft.items.length - 1
  if (isMore) {
    draft.replace('echo', { ...last, text: last.text + said.text })
    return
  }
  const { id, timestamp: at, by } = event
  const begun = { kind: 'message', id, at, by, attachments: [], state: 'over', isSteering: false } as const
  draft.add({ ...begun, text: said.text }, 'echo')
}

export const reportSteps: Steps = {
  artifact: artifact,
  file_content: content,
  user_message_chunk: rawStep(echo),
}
