import type { SessionMode } from '@agentclientprotocol/sdk'
import type { Need } from '../tools/tool.ts'

export type Mode = 'ask' | 'edits' | 'all' | 'plan'

/** The modes of a session; the first is the one it begins with. */
export const modes: readonly (SessionMode & { id: Mode })[] = [
  { id: 'ask', name: 'Ask', description: 'Asks before it changes a file or runs a command' },
  { id: 'edits', name: 'Allow edits', description: 'Changes files by itself, asks before it runs a command' },
  { id: 'all', name: 'Allow all', description: 'Changes files and runs commands by itself' },
  { id: 'plan', name: 'Plan', description: 'Only looks around, and ends with a plan to approve' },
]

/** Whether a session can be put into this mode. */
export const isMode = (id: string): id is Mode => modes.some((mode) => mode.id === id)

/** What becomes of a call that needs this, in this mode; `always` is what a person has allowed for the session. */
export function verdict(mode: Mode, need: Need, always: readonly Need[]): 'go' | 'ask' | 'refuse' {
  if (need === 'look') return 'go'
  // What was allowed before the plan was asked for must not break the promise that nothing changes.
  if (mode === 'plan') return 'refuse'
  if (mode === 'all' || always.includes(need)) return 'go'
  return mode === 'edits' && need === 'edit' ? 'go' : 'ask'
}
