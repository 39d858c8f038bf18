/** The mode that an agent says it is in now; null if this update does not say it, or of a session below its own. */
export function announcedMode(update: unknown): string | null {
  const said = update as { sessionUpdate?: unknown; currentModeId?: unknown; _meta?: object | null } | null
  if (said?.sessionUpdate !== 'current_mode_update') return null
  if (said._meta && 'farhand/sessionId' in said._meta) return null
  return typeof said.currentModeId === 'string' && said.currentModeId !== '' ? said.currentModeId : null
}
