import type { DeviceNames } from '@farhand/device/linked-folders/device-names'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import { authorInWords as said } from '@farhand/story/wording/author-in-words'

/** The author of an event, as texts name it; devices by their names or ids, so that the user can tell them apart. */
export function authorInWords(by: SeenAuthor | null, self?: string, names?: DeviceNames): string {
  if (!by) return 'someone'
  const deviceName = (id: string) =>
    id === self ? 'this folder' : (names?.get(id) ?? `a computer of yours (${id})`)
  // Others chose these names: they must not control the terminal.
  return pathInWords(said(by, deviceName))
}
