// The path of a socket may have about 104 bytes, depending on the system.
const mostBytes = 100

/**
 * The path of the socket in a hub's data folder, which is given by its full path. Only the hub's user may enter that folder, so the
 * process that answers there is the hub of that data. Null where no socket is possible.
 */
export function hubSocketPath(data: string, platform: string): string | null {
  const place = `${data.replace(/\/$/, '')}/hub.sock`
  if (platform === 'linux') return place
  return platform === 'win32' || new TextEncoder().encode(place).length > mostBytes ? null : place
}
