import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'

/** The author of an event, for the start or end of a sentence. */
export function authorInWords(by: SeenAuthor): string {
  switch (by.kind) {
    case 'web':
      return 'you'
    case 'device':
      return 'a computer of yours'
    case 'channel':
      return `a chat user (${by.id})`
    case 'runner':
      return 'the agent'
    case 'hub':
      return 'the hub'
    case 'other':
      return by.said
  }
}
