import { plainText, shortened } from '@farhand/protocol/text/plain-text'
import type { ToolItem } from '../../story/story.ts'
import type { IconName } from '../../ui/icon.tsx'

const kinds = new Map<string, { icon: IconName; words: string }>(
  Object.entries({
    read: { icon: 'eye', words: 'Read' },
    edit: { icon: 'edit', words: 'Edit' },
    delete: { icon: 'trash', words: 'Delete' },
    move: { icon: 'move', words: 'Move' },
    search: { icon: 'search', words: 'Search' },
    execute: { icon: 'terminal', words: 'Run' },
    think: { icon: 'thought', words: 'Think' },
    fetch: { icon: 'globe', words: 'Fetch' },
    switch_mode: { icon: 'settings', words: 'Change of mode' },
  }),
)

/** An icon and a word for a kind of tool. */
export const toolKind = (what: string): { icon: IconName; words: string } =>
  kinds.get(what) ?? { icon: 'tool', words: 'Tool' }

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
    titled || command || (place && pathShown(place, workspace)) || toolKind(what).words,
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
  const { stdout, stderr, output: text } = Object(output) as Record<string, unknown>
  const parts = [stdout, stderr, text].filter((part) => typeof part === 'string' && part !== '')
  return parts.length > 0 ? parts.join('\n') : valueInWords(output)
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
