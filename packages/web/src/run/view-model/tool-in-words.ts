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

/** What kind of thing a tool does: an icon and a word for it. */
export const toolKind = (what: string): { icon: IconName; words: string } =>
  kinds.get(what) ?? { icon: 'tool', words: 'Tool' }

/** No screen has room for more in a line, and whoever listens to it has no patience for more. */
const mostTitle = 500

/** The line of a tool that tells what it is about: for a command the command, whatever the agent says around it. */
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
  // What may be a command is shown letter by letter.
  const titled = what === 'execute' || command !== null ? said : withPathsShown(said, workspace)
  return shortened(
    titled || command || (place && pathShown(place, workspace)) || toolKind(what).words,
    mostTitle,
  )
}

/** A path as people know it: where the workspace lies in its sandbox is nobody's concern. */
export function pathShown(path: string, workspace: string | null): string {
  const root = rootOf(workspace)
  const inside = path.slice(root.length)
  return plainText(root !== '/' && path.startsWith(root) && isInside(inside) ? inside : path)
}

/** The folder of the workspace is left out in front of what lies in it. What goes up again from there stays as it is. */
function withPathsShown(text: string, workspace: string | null): string {
  const root = rootOf(workspace)
  if (root === '/') return text
  // Of more than this nothing is shown.
  const [first, ...rest] = text.slice(0, 4 * mostTitle).split(root)
  const shown = rest.reduce((before, after) => {
    const isBegun = !/[\w.~@+/-]$/.test(before)
    return before + (isBegun && isInside(after) ? '' : root) + after
  }, first!)
  return shown + text.slice(4 * mostTitle)
}

const rootOf = (workspace: string | null) => `${(workspace ?? '/workspace').replace(/\/+$/, '')}/`
const isInside = (path: string) => /^[^\s/]/.test(path) && !/^[^\s]*(?:^|\/)\.\.(?:\/|$)/.test(path)

/** A value of the agent's own making, as text: what is text stays it. */
export function valueInWords(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  try {
    return JSON.stringify(value, null, 2)
  } catch {
    return String(value)
  }
}

/** What a tool gave back that its content does not say already; empty if nothing. */
export function toolOutput({ content, output }: Pick<ToolItem, 'content' | 'output'>): string {
  if (content.some(({ is }) => is !== 'link')) return ''
  const { stdout, stderr, output: text } = Object(output) as Record<string, unknown>
  const parts = [stdout, stderr, text].filter((part) => typeof part === 'string' && part !== '')
  return parts.length > 0 ? parts.join('\n') : valueInWords(output)
}

/** Whether a person said no to it. Then it did not fail, whatever its agent calls that. */
export function isRejected({ status, question }: Pick<ToolItem, 'status' | 'question'>): boolean {
  if (status !== 'failed' || question === null) return false
  const { asked, answer } = question
  const chosen = (asked.options ?? []).find((one) => typeof one !== 'string' && one.optionId === answer)
  return typeof chosen === 'object' && (chosen.kind ?? '').startsWith('reject')
}

/** How long it worked, without the time for which it waited for a person; null until it is over, or if nobody told when it began. */
export function workedMs({
  at,
  endedAt,
  waitedMs,
}: Pick<ToolItem, 'at' | 'endedAt' | 'waitedMs'>): number | null {
  if (endedAt === null || (endedAt === at && waitedMs === 0)) return null
  return Math.max(0, Date.parse(endedAt) - Date.parse(at) - waitedMs)
}
