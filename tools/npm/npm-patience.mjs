/**
 * Flags with which npm reports within seconds, instead of minutes, that it cannot reach a registry. The shortest wait has to
 * be set too: npm's default is ten seconds, and with a longest wait below that every fetch fails at once, without any message
 * if the package is optional.
 * @param {{ retries?: number, longestMs: number, answerMs: number }} patience
 * @returns {string[]}
 */
export const npmPatience = ({ retries = 2, longestMs, answerMs }) => [
  `--fetch-retries=${retries}`,
  `--fetch-retry-mintimeout=${Math.min(500, longestMs)}`,
  `--fetch-retry-maxtimeout=${longestMs}`,
  `--fetch-timeout=${answerMs}`,
]
