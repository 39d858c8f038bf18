import type { RunNotificationKind } from '@farhand/protocol/schemas/push'

/** What a notification says before the title of its run, wherever it is shown. */
export const runNotificationInWords: Readonly<Record<RunNotificationKind, string>> = {
  'needs-you': 'Needs you',
  done: 'Done',
  failed: 'Failed',
}
