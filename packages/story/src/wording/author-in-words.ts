import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'

/** The author of an event, for the start or end of a sentence. `deviceName` names a device by its id. */
export function authorInWords(
  by: SeenAuthor,
  deviceName: (id: string) => string = () => 'a computer of yours',
): string {
  switch (by.kind) {
    case 'web':
      return 'you'
    case 'device':
      return deviceName(by.id)
    case 'channel':
      return by.id.startsWith('sch_') ? 'a schedule' : `a chat user (${by.id})`
    case 'runner':
      return 'the agent'
    case 'hub':
      return 'the hub'
    case 'other':
      return by.said
  }
}
