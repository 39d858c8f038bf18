import { chmod, open, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { basename, dirname, join, resolve } from 'node:path'
import process from 'node:process'

// The whole path of a socket has to fit into 104 bytes, or a few more.
const mostBytes = 100

/**
 * Where a hub listens beside its port: a socket in its data folder, which nobody else may enter, so that whoever answers there
 * is the hub of that data. Null where a socket cannot be there.
 */
export function localSocketPath(data: string): string | null {
  const place = join(resolve(data), 'hub.sock')
  if (process.platform === 'linux') return place
  return process.platform === 'win32' || Buffer.byteLength(place) > mostBytes ? null : place
}

/** Opens that socket, also if a hub before this one left it; only for the one that holds the lock of the data. */
export async function openLocalSocket(
  place: string,
  take: (socket: Socket) => void,
  most: number,
): Promise<{ close(): Promise<void> }> {
  await rm(place, { force: true })
  // By way of the open folder a path is short, however deep the folder lies.
  const folder = Buffer.byteLength(place) > mostBytes ? await open(dirname(place), 'r') : null
  const server = createServer({ allowHalfOpen: true }, take)
  server.maxConnections = most
  try {
    await new Promise<void>((done, failed) => {
      server.once('error', failed)
      server.listen(folder ? `/proc/self/fd/${folder.fd}/${basename(place)}` : place, done)
    })
    await chmod(place, 0o600)
  } catch (error) {
    await folder?.close()
    throw error
  }
  let isOpen = true
  return {
    async close() {
      if (!isOpen) return
      isOpen = false
      // Those who came by it are not waited for: that is up to whoever took them.
      server.close()
      await folder?.close()
    },
  }
}
