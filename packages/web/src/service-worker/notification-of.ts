import type { RunNotification } from '@farhand/protocol/schemas/push'
import { runNotificationInWords } from '@farhand/story/wording/run-notification-in-words'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'

export type ShownNotification = {
  title: string
  options: NotificationOptions & { data: { path: string; run: string | null } }
}

const look = { icon: '/icon-192.png', badge: '/badge.png' }

/**
 * The notification for a push message. It always gives one: a browser revokes the permission if a push shows
 * nothing. A new notification of the same run and kind replaces the old one.
 */
export function notificationOf(text: string | null): ShownNotification {
  const received = parsedNotification(text)
  if (!received)
    return {
      title: 'New notification',
      options: { ...look, body: 'Open Farhand to see it.', tag: 'farhand', data: { path: '/', run: null } },
    }
  const { kind, run, title, projectName, eventId } = received
  const path = `/runs/${encodeURIComponent(run)}${kind === 'needs-you' ? `#e${eventId}` : ''}`
  return {
    title: `${runNotificationInWords[kind]}: ${showHiddenCharacters(title)}`,
    options: { ...look, body: showHiddenCharacters(projectName), tag: `${run} ${kind}`, data: { path, run } },
  }
}

/** Checks the fields by hand: the schema library is as large as the rest of the service worker. */
function parsedNotification(text: string | null): RunNotification | null {
  try {
    const said = JSON.parse(text ?? 'null') as RunNotification | null
    const isOne =
      said !== null &&
      Object.hasOwn(runNotificationInWords, said.kind) &&
      [said.run, said.title, said.projectName].every((part) => typeof part === 'string') &&
      Number.isInteger(said.eventId)
    return isOne ? said : null
  } catch {
    // From a hub of another version: show a general notification.
    return null
  }
}
