import type { SkipWords } from '@farhand/device/linked-folders/skip-reports'
import { whySkipped } from '../../terminal/link-screen/note-in-words.ts'

/** What the log of a run says of files of a linked folder that are not synced. */
export const skipWords = (farhand: string): SkipWords => ({
  skipped: (folder, skip) => `Not synced from ${folder}: ${skip.path}: ${whySkipped(skip)}.`,
  more: (folder) => `More files of ${folder} are not synced: ${farhand} status lists them there.`,
})
