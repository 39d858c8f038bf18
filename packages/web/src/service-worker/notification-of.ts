import type { RunNotification, RunNotificationKind } from '@farhand/protocol/schemas/push'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'

export type Shown = {
  title: string
  options: NotificationOptions & { data: { path: string; run: string | null } }
}

const words: Readonly<Record<RunNotificationKind, string>> = {
  'needs-you': 'Needs you',
  done: 'Done',
  failed: 'Failed',
}

const look = { icon: '/icon-192.png', badge: '/badge.png' }

/**
 * The notification for a push message. Something is always shown, whatever came: a browser takes the permission away
 * from who is silent. The same run and kind again takes the place of the one before.
 */
export function notificationOf(text: string | null): Shown {
  const told = tellingOf(text)
  if (!told)
    return {
      title: 'Something is new',
      options: { ...look, body: 'Open Farhand to see what.', tag: 'farhand', data: { path: '/', run: null } },
    }
  const { kind, run, title, projectName, eventId } = told
  const path = `/runs/${encodeURIComponent(run)}${kind === 'needs-you' ? `#e${eventId}` : ''}`
  return {
    title: `${words[kind]}: ${showHiddenCharacters(title)}`,
    options: { ...look, body: showHiddenCharacters(projectName), tag: `${run} ${kind}`, data: { path, run } },
  }
}

/** Read by hand: what the pages check their words with is as large as all of the worker. */
function tellingOf(text: string | null): RunNotification | null {
  try {
    const said = JSON.parse(text ?? 'null') as RunNotification | null
    const isOne =
      said !== null &&
      Object.hasOwn(words, said.kind) &&
      [said.run, said.title, said.projectName].every((part) => typeof part === 'string') &&
      Number.isInteger(said.eventId)
    return isOne ? said : null
  } catch {
    // Not from a hub that this worker understands; that something came is all there is to say.
    return null
  }
}
