import { eventName } from '../events/event-names.ts'
import type { Notification } from '../wire/event.ts'

/**
 * A file event of several paths as one notification for each path, in its order; every other notification unchanged (W60).
 * Readers written from seeds 000 and 001 know only events of one path.
 */
export function splitFiles(notification: Notification): Notification[] {
  const { method, params } = notification
  const name = eventName(method)
  if (name !== 'file_change' && name !== 'file_sync') return [notification]
  const files = params?.files
  if (!Array.isArray(files) || files.length === 0) return [notification]
  const { files: _, ...rest } = params!
  return files.map((file) => ({ ...notification, params: { ...rest, ...file } }))
}
