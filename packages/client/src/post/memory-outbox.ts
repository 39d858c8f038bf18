import type { Outbox, Unsent } from './outbox.ts'

/** An outbox that lasts as long as its process: for programs that end only after everything was sent. */
export function memoryOutbox(): Outbox {
  const messages = new Map<string, Unsent>()
  return {
    async put(message) {
      if (!messages.has(message.key)) messages.set(message.key, structuredClone(message))
    },
    async list(run) {
      return [...messages.values()]
        .filter((message) => message.at.run === run)
        .map((message) => structuredClone(message))
    },
    async remove(key) {
      messages.delete(key)
    },
  }
}
