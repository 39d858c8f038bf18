import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { DeviceNames } from './device-names.ts'

/** The author of an event, as texts name it. */
export function authorInWords(by: SeenAuthor | null, self?: string, names?: DeviceNames): string {
  if (!by) return 'someone'
  if (by.kind === 'runner') return "the agent's side"
  if (by.kind === 'hub') return 'the hub'
  if (by.kind === 'device') {
    if (by.id === self) return 'this folder'
    const name = names?.get(by.id)
    // Another user chose this name: it must not control the terminal.
    return name ? pathInWords(name) : `a folder (${pathInWords(by.id)})`
  }
  if (by.kind === 'web') return 'you, at the hub'
  const id = pathInWords(by.id)
  return by.kind === 'channel' ? `a chat (${id})` : `${pathInWords(by.said)} (${id})`
}
