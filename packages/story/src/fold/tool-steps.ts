import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { ToolItem } from '../items/story.ts'
import { asPlain, asText } from '../values/untyped-values.ts'
import { rawStep, type Step, type Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'
import { toolCommand, toolContent, toolExit, toolPlaces } from './tool-content.ts'

type ToolUpdate = Record<string, unknown>

export const toolName = (call: string) => `tool ${call}`

const statuses = new Set<unknown>(['pending', 'in_progress', 'completed', 'failed'])
const isOver = (status: string) => status === 'completed' || status === 'failed'
const isSet = (value: unknown) => value !== undefined && value !== null

/** The tool with an event applied; fields that the event lacks stay unchanged. */
function withEvent(tool: ToolItem, update: ToolUpdate, blobs: unknown, at: string): ToolItem {
  const status = statuses.has(update.status) ? (update.status as ToolItem['status']) : tool.status
  const command = isSet(update.rawInput) ? toolCommand(update.rawInput) : null
  return {
    ...tool,
    status,
    title: asPlain(update.title) || tool.title,
    what: asText(update.kind) ?? tool.what,
    content: isSet(update.content)
      ? withChanges(tool, toolContent(update.content, blobs), status)
      : tool.content,
    places: isSet(update.locations) ? toolPlaces(update.locations) : tool.places,
    command: command ?? tool.command,
    exitCode: toolExit(update.rawOutput, update._meta) ?? tool.exitCode,
    input: isSet(update.rawInput) ? update.rawInput : tool.input,
    output: isSet(update.rawOutput) ? update.rawOutput : tool.output,
    endedAt: isOver(status) ? (tool.endedAt ?? at) : null,
  }
}

/** Some agents report the changes with their permission request, and at the end only that the tool is done. */
function withChanges(
  { content: before }: ToolItem,
  content: ToolItem['content'],
  status: ToolItem['status'],
): ToolItem['content'] {
  if (status === 'failed' || content.some(({ is }) => is === 'diff')) return content
  const changes = before.filter(({ is }) => is === 'diff')
  return changes.length === 0 ? content : [...changes, ...content]
}

/** The tool starts to wait for the user. */
export const startWaiting = (tool: ToolItem, at: string): ToolItem => ({ ...tool, waitsSince: at })

/** The tool no longer waits for the user. */
export function stopWaiting(tool: ToolItem, at: string): ToolItem {
  if (tool.waitsSince === null) return tool
  const waitedMs = tool.waitedMs + Math.max(0, Date.parse(at) - Date.parse(tool.waitsSince))
  return { ...tool, waitedMs, waitsSince: null }
}

const newTool = (draft: StoryDraft, call: string, { id, timestamp }: SeenEvent): ToolItem => ({
  kind: 'tool',
  id,
  at: timestamp,
  call,
  title: '',
  what: 'other',
  status: 'pending',
  content: [],
  places: [],
  command: null,
  exitCode: null,
  input: null,
  output: null,
  endedAt: null,
  waitedMs: 0,
  waitsSince: null,
  question: null,
  report: null,
  workspace: draft.workspace,
})

/** Whether this is an update of the known call: another agent may use the same call ids again. */
const isSameCall = (draft: StoryDraft, tool: ToolItem | null, isBeginning: boolean): tool is ToolItem =>
  tool !== null && !(isBeginning && tool.endedAt !== null && tool.id < draft.agentSince)

/** A call is one item that changes, whichever of its events comes first. */
export function applyTool(
  draft: StoryDraft,
  update: ToolUpdate,
  event: SeenEvent,
  isBeginning = false,
): void {
  const call = update.toolCallId
  if (typeof call !== 'string' || call === '') return
  const name = toolName(call)
  const { blobs } = event.notification.params ?? {}
  const known = draft.find('tool', name)
  if (isSameCall(draft, known, isBeginning)) {
    draft.replace(name, withEvent(known, update, blobs, event.timestamp))
    return
  }
  draft.endWords()
  draft.add(withEvent(newTool(draft, call, event), update, blobs, event.timestamp), name)
}

const step =
  (isBeginning: boolean): Step =>
  (draft, event) =>
    applyTool(draft, event.notification.params ?? {}, event, isBeginning)

export const toolSteps: Steps = {
  tool_call: rawStep(step(true)),
  tool_result: rawStep(step(false)),
}
