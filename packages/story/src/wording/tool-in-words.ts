import { plainText, shortened } from '@farhand/protocol/text/plain-text'
import type { ToolItem } from '../items/story.ts'
import { asObject, asText } from '../values/untyped-values.ts'

const kinds = new Map([
  ['read', 'Read'],
  ['edit', 'Edit'],
  ['delete', 'Delete'],
  ['move', 'Move'],
  ['search', 'Search'],
  ['execute', 'Run'],
  ['think', 'Think'],
  ['fetch', 'Fetch'],
  ['switch_mode', 'Change of mode'],
])

/** A word for a kind of tool. */
export const toolKindInWords = (what: string): string => kinds.get(what) ?? 'Tool'

/** A longer title fits no line, and is tedious in a screen reader. */
const mostTitle = 500

/** The title of a tool call; for a shell command, the command itself. */
export function toolTitle({
  title,
  what,
  command,
  places,
  workspace,
}: Pick<ToolItem, 'title' | 'what' | 'command' | 'places' | 'workspace'>): string {
  const said = title.trim().replace(/^`([^`]+)`$/, '$1')
  if (what === 'execute' && command !== null && (said === '' || said.includes(command)))
    return shortened(command, mostTitle)
  const place = places[0]?.path
  // A command is shown unchanged.
  const titled = what === 'execute' || command !== null ? said : withPathsShown(said, workspace)
  return shortened(
    titled || command || (place && pathShown(place, workspace)) || toolKindInWords(what),
    mostTitle,
  )
}

/** A path as the user knows it: relative to the workspace. */
export function pathShown(path: string, workspace: string | null): string {
  const root = rootOf(workspace)
  const inside = path.slice(root.length)
  return plainText(root !== '/' && path.startsWith(root) && isInside(inside) ? inside : path)
}

/** Removes the workspace folder from paths inside it. A path with `..` stays unchanged. */
function withPathsShown(text: string, workspace: string | null): string {
  const root = rootOf(workspace)
  if (root === '/') return text
  // The rest is cut off anyway.
  const [first, ...rest] = text.slice(0, 4 * mostTitle).split(root)
  const shown = rest.reduce((before, after) => {
    const isBegun = !/[\w.~@+/-]$/.test(before)
    return before + (isBegun && isInside(after) ? '' : root) + after
  }, first!)
  return shown + text.slice(4 * mostTitle)
}

const rootOf = (workspace: string | null) => `${(workspace ?? '/workspace').replace(/\/+$/, '')}/`
const isInside = (path: string) => /^[^\s/]/.test(path) && !/^[^\s]*(?:^|\/)\.\.(?:\/|$)/.test(path)

/** A value of any type as text; text stays unchanged. */
export function valueInWords(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  try {
    return JSON.stringify(value, null, 2)
  } catch {
    return String(value)
  }
}

/** The output of a tool that its content does not already show; empty if there is none. */
export function toolOutput({ content, output }: Pick<ToolItem, 'content' | 'output'>): string {
  if (content.some(({ is }) => is !== 'link')) return ''
  return printedText(output) || valueInWords(output)
}

/** Fields in which some agents put a command's output instead of the content of the tool call. */
const printedNames = ['formatted_output', 'aggregated_output', 'output', 'stdout', 'stderr'] as const

/** The text in the raw output of a tool; empty if there is none. */
export function printedText(output: unknown): string {
  if (typeof output === 'string') return output
  const fields = asObject(output)
  const found = printedNames.flatMap((name) => asText(fields[name]) || [])
  const [first = '', second = ''] = found
  // `stdout` and `stderr` belong together; the other fields are the whole output.
  return second !== '' && first === fields.stdout ? `${first}\n${second}` : first
}

/** Whether the user rejected the call. Then it did not fail, even if the agent reports that. */
export function isRejected({ status, question }: Pick<ToolItem, 'status' | 'question'>): boolean {
  if (status !== 'failed' || question === null) return false
  const { asked, answer } = question
  const chosen = (asked.options ?? []).find((one) => typeof one !== 'string' && one.optionId === answer)
  return typeof chosen === 'object' && (chosen.kind ?? '').startsWith('reject')
}

/** How long the tool worked, without waiting for the user; null until it ends, or if its start is unknown. */
export function workedMs({
  at,
  endedAt,
  waitedMs,
}: Pick<ToolItem, 'at' | 'endedAt' | 'waitedMs'>): number | null {
  if (endedAt === null || (endedAt === at && waitedMs === 0)) return null
  return Math.max(0, Date.parse(endedAt) - Date.parse(at) - waitedMs)
}
