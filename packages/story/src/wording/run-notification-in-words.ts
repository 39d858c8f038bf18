import type { RunNotificationKind, ScheduleNotification } from '@farhand/protocol/schemas/push'

/** What a notification says before the title of its run, wherever it is shown. */
export const runNotificationInWords: Readonly<Record<RunNotificationKind, string>> = {
  'needs-you': 'Needs you',
  done: 'Done',
  failed: 'Failed',
}

/** What a notification says before the name of its schedule. */
export const scheduleNotificationInWords: Readonly<Record<ScheduleNotification['kind'], string>> = {
  'schedule-missed': 'Not started',
  'schedule-paused': 'Paused after failures',
}
