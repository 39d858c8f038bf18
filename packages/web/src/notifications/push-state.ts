/** Whether this browser is told, and what keeps it from that. */
export type PushState =
  /** It knows no push at all. */
  | 'unknown-here'
  /** It has it only for pages that came by https. */
  | 'insecure'
  /** An iPhone or iPad has it only for apps on the home screen. */
  | 'not-installed'
  /** Somebody has said no, and only the browser's own settings can change that. */
  | 'blocked'
  | 'off'
  | 'on'

export type Around = {
  isSecure: boolean
  hasPush: boolean
  /** Whether it is one of Apple's small ones, on which the page is not on the home screen. */
  isAppleInTab: boolean
  permission: NotificationPermission
  isSubscribed: boolean
}

/** What there is to say of notifications in this browser. */
export function pushState(around: Around): PushState {
  if (!around.isSecure) return 'insecure'
  if (!around.hasPush) return around.isAppleInTab ? 'not-installed' : 'unknown-here'
  if (around.permission === 'denied') return 'blocked'
  return around.permission === 'granted' && around.isSubscribed ? 'on' : 'off'
}
