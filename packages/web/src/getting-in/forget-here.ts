import { drafts } from '../composer/use-draft.ts'
import { forgetDatabase } from '../live/database.ts'
import { forgetSeen } from '../runs/seen-here.ts'

const prefix = 'farhand.'
/** Of the device, and not of who uses it. */
const ofDevice = new Set(['farhand.theme'])

/** Leaves nothing of a user in this browser: neither what was kept of their runs nor what they wrote, and it is told nothing more. */
export async function forgetHere(hubUrl: string, user: string): Promise<void> {
  drafts.forgetAll()
  forgetSeen()
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(prefix) && !ofDevice.has(name)) localStorage.removeItem(name)
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
  await Promise.all([forgetDatabase(hubUrl, user), endNotifications().catch(() => {})])
}

/** Whoever signs in next is asked anew, and does not see what the one before was told. */
async function endNotifications(): Promise<void> {
  const registered = await navigator.serviceWorker?.getRegistration()
  for (const shown of (await registered?.getNotifications()) ?? []) shown.close()
  await (await registered?.pushManager?.getSubscription())?.unsubscribe()
}
