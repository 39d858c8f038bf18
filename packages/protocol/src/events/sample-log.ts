import type { BlobHash } from '../wire/blob-hash.ts'
import { type Author, jsonRpc, StoredEvent } from '../wire/event.ts'
import { checkNotification } from './check-notification.ts'

export const runner: Author = { kind: 'runner', generation: 1 }
export const secondRunner: Author = { kind: 'runner', generation: 2 }
export const laptop: Author = { kind: 'device', id: 'dev_laptop00' }
export const secondLaptop: Author = { kind: 'device', id: 'dev_laptop22' }
export const web: Author = { kind: 'web', id: 'usr_someone0' }
export const hub: Author = { kind: 'hub' }

export type Line = [by: Author, method: string, params?: Record<string, unknown>]

/** For tests: a log as a hub could have stored it, with every line checked and one second between lines. */
export function sampleLog(...lines: Line[]): StoredEvent[] {
  return lines.map(([by, method, params], index) => {
    const notification: unknown = { ...jsonRpc, method, ...(params && { params }) }
    checkNotification(notification, by.kind)
    return StoredEvent.parse({
      id: index + 1,
      type: 'notification',
      timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
      notification,
      by,
    })
  })
}

/** For tests: a blob hash made from one letter. */
export const sampleHash = (letter: string): BlobHash =>
  `sha256_${letter.charCodeAt(0).toString(16).padStart(64, '0')}` as BlobHash
