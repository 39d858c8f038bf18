/**
 * Flags with which npm says within seconds that there is no registry, instead of after minutes. The shortest wait must be
 * named too: npm's own is ten seconds, and with a longest one below that every fetch fails before it is tried, which
 * npm does not mention when the package is an optional one.
 * @param {{ retries?: number, longestMs: number, answerMs: number }} patience
 * @returns {string[]}
 */
export const npmPatience = ({ retries = 2, longestMs, answerMs }) => [
  `--fetch-retries=${retries}`,
  `--fetch-retry-mintimeout=${Math.min(500, longestMs)}`,
  `--fetch-retry-maxtimeout=${longestMs}`,
  `--fetch-timeout=${answerMs}`,
]
