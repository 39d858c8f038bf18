import type { SeenAuthor } from '@farhand/protocol/seen-event'

/** Who wrote something, as a person would say it. */
export function authorInWords(by: SeenAuthor | null, self?: string): string {
  if (!by) return 'someone'
  if (by.kind === 'runner') return `the agent's side (runner ${by.generation})`
  if (by.kind === 'hub') return 'the hub'
  if (by.kind === 'device') return by.id === self ? 'this folder' : `a folder (${by.id})`
  if (by.kind === 'web') return 'you, at the hub'
  return by.kind === 'channel' ? `a chat (${by.id})` : `${by.said} (${by.id})`
}
