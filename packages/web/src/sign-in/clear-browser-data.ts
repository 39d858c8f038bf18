import { UserId } from '@farhand/protocol/wire/ids'
import { drafts } from '../composer/use-draft.ts'
import { forgetSessionKey } from '../early-requests/session-key.ts'
import { forgetSeen } from '../run-list/seen-here.ts'
import { forgetCaches, forgetDatabase } from '../storage/database.ts'

const prefix = 'farhand.'
/** Of the device, and not of who uses it. */
const ofDevice = ['farhand.theme']
/** What signedInUser wrote: drafts, comments on lines, and a run that was not begun yet. */
const words = ['farhand.draft.', 'farhand.comments.', 'farhand.new']
/** Whose words were left here. */
const wordsPlace = 'farhand.words-of'

/** Leaves nothing of a user in this browser: neither what was kept of their runs nor what they wrote, and it is told nothing more. */
export async function clearBrowserData(hubUrl: string, user: string): Promise<void> {
  drafts.forgetAll()
  forgetSeen()
  forgetSessionKey()
  removeAllBut(ofDevice)
  await Promise.all([forgetDatabase(hubUrl, user), endNotifications().catch(() => {})])
}

/** Leaves what a user wrote and did not send, for them to find again; of their runs nothing is left. */
export async function clearAllButDrafts(hubUrl: string, user: string): Promise<void> {
  forgetSeen()
  forgetSessionKey()
  removeAllBut([...ofDevice, ...words])
  try {
    localStorage.setItem(wordsPlace, user)
  } catch {
    // A window that may keep nothing, also no words.
  }
  await Promise.all([forgetCaches(hubUrl, user), endNotifications().catch(() => {})])
}

export function draftsOwner(): UserId | null {
  try {
    return UserId.safeParse(localStorage.getItem(wordsPlace)).data ?? null
  } catch {
    return null
  }
}

/** Whoever wrote them is back. */
export function releaseDrafts(): void {
  try {
    localStorage.removeItem(wordsPlace)
  } catch {
    // Then there were none.
  }
}

function removeAllBut(stays: readonly string[]): void {
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(prefix) && !stays.some((one) => name.startsWith(one))) localStorage.removeItem(name)
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

/** Whoever signs in next is asked anew, and does not see what the one before was told. */
async function endNotifications(): Promise<void> {
  const registered = await navigator.serviceWorker?.getRegistration()
  for (const shown of (await registered?.getNotifications()) ?? []) shown.close()
  await (await registered?.pushManager?.getSubscription())?.unsubscribe()
}
