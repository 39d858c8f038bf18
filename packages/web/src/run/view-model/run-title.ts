import type { Story } from '@farhand/story/items/story'
import { showHiddenCharacters } from '../../text/show-hidden-characters.ts'

/** The title of a run: from the list, or else the first line of its first message. */
export function runTitle(listed: string | undefined, { items }: Pick<Story, 'items'>): string {
  if (listed) return listed
  const asked = items.find(({ kind }) => kind === 'message')
  const line = asked?.kind === 'message' ? showHiddenCharacters(asked.text.trim().split('\n')[0] ?? '') : ''
  return line.length > 120 ? `${line.slice(0, 119)}…` : line || 'A run'
}
