import type { SessionMode } from '@agentclientprotocol/sdk'

export const modes: readonly SessionMode[] = [
  { id: 'normal', name: 'Normal', description: 'Asks only when a prompt says so' },
  { id: 'careful', name: 'Careful', description: 'Asks permission before every change and every command' },
]
