/** Larger files are left alone until somebody sets another limit for the run (S9). */
export const defaultMaxFileBytes = 50 * 1024 * 1024
