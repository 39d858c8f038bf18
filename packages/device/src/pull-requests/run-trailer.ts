import type { RunId } from '@farhand/protocol/wire/ids'

/** The line that marks a commit as made for a run. */
export const runTrailer = (run: RunId) => `Farhand-Run: ${run}`
