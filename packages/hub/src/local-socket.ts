import { chmod, open, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { basename, dirname, resolve } from 'node:path'
import process from 'node:process'
import { hubSocketPath } from '@farhand/protocol/wire/hub-socket-path'

// The path of a socket may have about 104 bytes, depending on the system.
const mostBytes = 100

/** The path of the socket in a hub's data folder; null where no socket is possible. */
export const localSocketPath = (data: string): string | null => hubSocketPath(resolve(data), process.platform)

/** Opens that socket and replaces one that an earlier hub left. The caller must hold the lock of the data folder. */
export async function openLocalSocket(
  place: string,
  take: (socket: Socket) => void,
  most: number,
): Promise<{ close(): Promise<void> }> {
  await rm(place, { force: true })
  // The path through the open folder is short, however deep the folder lies.
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
      // Does not wait for open connections: the HTTP server that accepted them does.
      server.close()
      await folder?.close()
    },
  }
}
