import type { SessionMode } from '@agentclientprotocol/sdk'
import type { Need } from '../tools/tool.ts'

export type Mode = 'ask' | 'edits' | 'all' | 'plan'

/** The modes of a session; it begins in the first. */
export const modes: readonly (SessionMode & { id: Mode })[] = [
  { id: 'ask', name: 'Ask', description: 'Asks before it changes a file or runs a command' },
  { id: 'edits', name: 'Allow edits', description: 'Changes files by itself, asks before it runs a command' },
  { id: 'all', name: 'Allow all', description: 'Changes files and runs commands by itself' },
  { id: 'plan', name: 'Plan', description: 'Only looks around, and ends with a plan to approve' },
]

export const isMode = (id: string): id is Mode => modes.some((mode) => mode.id === id)

/** Whether a call with this need may be made in this mode; `always` is what the user has allowed for the session. */
export function verdict(mode: Mode, need: Need, always: readonly Need[]): 'go' | 'ask' | 'refuse' {
  if (need === 'look') return 'go'
  // Plan mode promises that nothing changes, even if the user allowed changes before.
  if (mode === 'plan') return 'refuse'
  if (mode === 'all' || always.includes(need)) return 'go'
  return mode === 'edits' && need === 'edit' ? 'go' : 'ask'
}
