import type { Story } from '../../story/story.ts'
import { showHiddenCharacters } from '../../text/show-hidden-characters.ts'

/** What a run is called: as the list calls it, else what it was first asked to do. */
export function runTitle(listed: string | undefined, { items }: Pick<Story, 'items'>): string {
  if (listed) return listed
  const asked = items.find(({ kind }) => kind === 'message')
  const line = asked?.kind === 'message' ? showHiddenCharacters(asked.text.trim().split('\n')[0] ?? '') : ''
  return line.length > 120 ? `${line.slice(0, 119)}…` : line || 'A run'
}
