import type { Key } from '../keys/key-reader.ts'

export type Choices = {
  many: number
  /** The entry that Enter takes; null if it takes none. */
  usual: number | null
}

export type ChoiceStep = { is: 'chosen'; at: number } | { is: 'left' | 'interrupted' | 'nothing' }

/** With more entries than this there is no key for each. */
export const mostKeys = 9

const leaving: readonly Key['is'][] = ['escape', 'menu', 'end-of-input']

/** What a key does in a list with numbered entries. */
export function choiceStep(key: Key, { many, usual }: Choices): ChoiceStep {
  if (leaving.includes(key.is)) return { is: 'left' }
  if (key.is === 'interrupt') return { is: 'interrupted' }
  if (key.is === 'enter') return usual === null ? { is: 'nothing' } : { is: 'chosen', at: usual }
  if (key.is !== 'text' || !/^[1-9]$/.test(key.text)) return { is: 'nothing' }
  const at = Number(key.text) - 1
  return at < many ? { is: 'chosen', at } : { is: 'nothing' }
}
