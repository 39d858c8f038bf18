import type { Key } from './keys/key-reader.ts'
import { type Line, span } from './lines/styled-line.ts'
import { cutToWidth } from './lines/text-width.ts'

type Choice = { key: string; line: string; says: string }

const choices: readonly Choice[] = [
  { key: 'd', line: '/detach', says: 'detach: the agent goes on' },
  { key: 'c', line: '/cancel', says: 'cancel the turn' },
  { key: 'x', line: '/close', says: 'close the run' },
]

/** The entries of the Ctrl-C menu; "cancel" only while a turn is under way. */
const offered = (isUnderWay: boolean) => choices.filter(({ key }) => isUnderWay || key !== 'c')

/** The slash command for a key in the menu; null closes the menu. A second Ctrl-C detaches. */
export function menuChoice(key: Key, isUnderWay: boolean): string | null {
  if (key.is === 'interrupt' || key.is === 'menu') return '/detach'
  if (key.is !== 'text') return null
  return offered(isUnderWay).find((one) => one.key === key.text.toLowerCase())?.line ?? null
}

export function menuInLines(isUnderWay: boolean, columns: number): Line[] {
  const items = [
    ...offered(isUnderWay).map(({ key, says }) => [span(`[${key}] `, 'chosen'), span(says)]),
    [span('[Esc] ', 'chosen'), span('go on')],
  ]
  const row = items.flatMap((item, at) => (at === 0 ? item : [span('   '), ...item]))
  const width = row.reduce((sum, { text }) => sum + text.length, 0)
  if (width < columns) return [row]
  return items.map((item) => item.map((one) => ({ ...one, text: cutToWidth(one.text, columns - 8) })))
}
