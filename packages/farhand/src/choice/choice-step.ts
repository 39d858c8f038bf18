import type { Key } from '../terminal/keys/key-reader.ts'

export type Choices = {
  /** How many there are to choose from. */
  many: number
  /** The one that Enter takes; null if it takes none. */
  usual: number | null
}

export type ChoiceStep = { is: 'chosen'; at: number } | { is: 'left' | 'interrupted' | 'nothing' }

/** More than this have no key of their own. */
export const mostKeys = 9

const leaving: readonly Key['is'][] = ['escape', 'menu', 'end-of-input']

/** What a key does in a list whose entries are numbered from 1. */
export function choiceStep(key: Key, { many, usual }: Choices): ChoiceStep {
  if (leaving.includes(key.is)) return { is: 'left' }
  if (key.is === 'interrupt') return { is: 'interrupted' }
  if (key.is === 'enter') return usual === null ? { is: 'nothing' } : { is: 'chosen', at: usual }
  if (key.is !== 'text' || !/^[1-9]$/.test(key.text)) return { is: 'nothing' }
  const at = Number(key.text) - 1
  return at < many ? { is: 'chosen', at } : { is: 'nothing' }
}
