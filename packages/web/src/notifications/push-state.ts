/** Whether this browser gets push notifications, and if not, why. */
export type PushState =
  /** The browser does not support push. */
  | 'unknown-here'
  /** The browser supports push only on https pages. */
  | 'insecure'
  /** An iPhone or iPad supports push only for apps on the home screen. */
  | 'not-installed'
  /** The user has refused, and only the browser settings can change that. */
  | 'blocked'
  | 'off'
  | 'on'

export type PushEnvironment = {
  isSecure: boolean
  hasPush: boolean
  /** Whether this is an iPhone or iPad, and the page is not on the home screen. */
  isAppleInTab: boolean
  permission: NotificationPermission
  isSubscribed: boolean
}

/** The push state of this browser. */
export function pushState(environment: PushEnvironment): PushState {
  if (!environment.isSecure) return 'insecure'
  if (!environment.hasPush) return environment.isAppleInTab ? 'not-installed' : 'unknown-here'
  if (environment.permission === 'denied') return 'blocked'
  return environment.permission === 'granted' && environment.isSubscribed ? 'on' : 'off'
}
