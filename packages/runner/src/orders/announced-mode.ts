/** The mode that an agent reports in this update; null if the update is about something else, or about a sub-session. */
export function announcedMode(update: unknown): string | null {
  const said = update as { sessionUpdate?: unknown; currentModeId?: unknown; _meta?: object | null } | null
  if (said?.sessionUpdate !== 'current_mode_update') return null
  if (said._meta && 'farhand/sessionId' in said._meta) return null
  return typeof said.currentModeId === 'string' && said.currentModeId !== '' ? said.currentModeId : null
}
