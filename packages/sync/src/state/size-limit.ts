/** Larger files are not synced unless the user sets another limit for the run (S9). */
export const defaultMaxFileBytes = 50 * 1024 * 1024
