import { UserId } from '@farhand/protocol/wire/ids'
import { drafts } from '../composer/use-draft.ts'
import { forgetSessionKey } from '../early-requests/session-key.ts'
import { forgetSeen } from '../run-list/seen-in-browser.ts'
import { forgetCaches, forgetDatabase } from '../storage/database.ts'
import { readLocal, writeLocal } from '../storage/local.ts'

const prefix = 'farhand.'
/** Settings of the device, not of the user. */
const ofDevice = ['farhand.theme']
/** What the user wrote: drafts, comments on lines, and an unsent new-run form. */
const words = ['farhand.draft.', 'farhand.comments.', 'farhand.new']
/** The key for the user whose drafts are stored here. */
const wordsPlace = 'farhand.words-of'

/** Removes all data of a user from this browser, with unsent drafts, and turns off its notifications. */
export async function clearBrowserData(hubUrl: string, user: string): Promise<void> {
  drafts.forgetAll()
  forgetSeen()
  forgetSessionKey()
  removeAllBut(ofDevice)
  await Promise.all([forgetDatabase(hubUrl, user), endNotifications().catch(() => {})])
}

/**
 * Removes all data of a user except unsent drafts, which the user finds again after signing in. Notifications go on: the user was not
 * signed out by hand, and still wants to know of a run that waits.
 */
export async function clearAllButDrafts(hubUrl: string, user: string): Promise<void> {
  forgetSeen()
  forgetSessionKey()
  removeAllBut([...ofDevice, ...words])
  writeLocal(wordsPlace, user)
  await forgetCaches(hubUrl, user)
}

export const draftsOwner = (): UserId | null => UserId.safeParse(readLocal(wordsPlace)).data ?? null

/** The user has signed in again, so the drafts need no owner any more. */
export const releaseDrafts = () => writeLocal(wordsPlace, null)

function removeAllBut(stays: readonly string[]): void {
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(prefix) && !stays.some((one) => name.startsWith(one))) localStorage.removeItem(name)
  } catch {
    // Storage is forbidden, so there is nothing to remove.
  }
}

/** The next user is asked for permission again, and does not see the notifications of the last one. */
async function endNotifications(): Promise<void> {
  const registered = await navigator.serviceWorker?.getRegistration()
  for (const shown of (await registered?.getNotifications()) ?? []) shown.close()
  await (await registered?.pushManager?.getSubscription())?.unsubscribe()
}
