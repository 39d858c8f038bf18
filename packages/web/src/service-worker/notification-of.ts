import type { RunNotification, ScheduleNotification } from '@farhand/protocol/schemas/push'
import {
  runNotificationInWords,
  scheduleNotificationInWords,
} from '@farhand/story/wording/run-notification-in-words'
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
  const ofSchedule = scheduleNotification(text)
  if (ofSchedule) return ofSchedule
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

function scheduleNotification(text: string | null): ShownNotification | null {
  const said = parsed(text) as ScheduleNotification | null
  if (said === null || !Object.hasOwn(scheduleNotificationInWords, said.kind)) return null
  const { kind, schedule, title, projectName } = said
  if (![schedule, title, projectName].every((part) => typeof part === 'string')) return null
  const path = `/schedules/${encodeURIComponent(schedule)}`
  return {
    title: `${scheduleNotificationInWords[kind]}: ${showHiddenCharacters(title)}`,
    options: {
      ...look,
      body: showHiddenCharacters(projectName),
      tag: `${schedule} ${kind}`,
      data: { path, run: null },
    },
  }
}

/** Checks the fields by hand: the schema library is as large as the rest of the service worker. */
function parsedNotification(text: string | null): RunNotification | null {
  const said = parsed(text) as RunNotification | null
  const isOne =
    said !== null &&
    Object.hasOwn(runNotificationInWords, said.kind) &&
    [said.run, said.title, said.projectName].every((part) => typeof part === 'string') &&
    Number.isInteger(said.eventId)
  return isOne ? said : null
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    // From a hub of another version: show a general notification.
    return null
  }
}
