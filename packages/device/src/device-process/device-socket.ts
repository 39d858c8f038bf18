import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { deviceFolder, deviceSocketFile } from './device-folder.ts'
import { DeviceRequest } from './device-protocol.ts'

// Socket paths are limited to 104 bytes on some systems.
const longestName = 100
const socketName = 'socket'
const mostUnread = 1 << 20

/** A command that is connected: `say` sends it a line, `over` is aborted when it hangs up. */
export type DeviceCaller = { say: (line: unknown) => void; hangUp: () => void; over: AbortSignal }

/**
 * Opens the device process's socket in a folder that only its user may enter. The caller holds the lock of that folder, so
 * any existing socket belongs to a dead process.
 */
export async function openDeviceSocket(
  state: string,
  serve: (request: DeviceRequest, caller: DeviceCaller) => void,
): Promise<{ callers(): number; close(): void }> {
  mkdirSync(deviceFolder(state), { recursive: true, mode: 0o700 })
  const { socket, remove } = socketFor(deviceFolder(state))
  const callers = new Set<Socket>()
  const server = createServer((caller) => {
    callers.add(caller)
    caller.on('close', () => callers.delete(caller))
    hear(caller, serve)
  })
  await listening(server, socket)
  const file = deviceSocketFile(state)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, socket, { mode: 0o600 })
  renameSync(draft, file)
  return {
    callers: () => callers.size,
    close() {
      // The state folder may have been removed, and belong to another process by now.
      if (isWritten(file, socket)) rmSync(file, { force: true })
      server.close()
      // An answer now would come from a process that is ending.
      for (const caller of callers) caller.destroy()
      remove()
    },
  }
}

function isWritten(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8') === text
  } catch {
    return false
  }
}

function socketFor(place: string): { socket: string; remove: () => void } {
  if (process.platform === 'win32') {
    const name = randomBytes(12).toString('hex')
    return { socket: `\\\\.\\pipe\\farhand-${name}`, remove() {} }
  }
  // A unique name: a server removes its socket by name when it ends, and must not remove its successor's.
  const own = path.join(place, `${socketName}${randomBytes(4).toString('hex')}`)
  if (Buffer.byteLength(own) <= longestName) {
    for (const name of readdirSync(place))
      if (name.startsWith(socketName)) rmSync(path.join(place, name), { force: true })
    return { socket: own, remove: () => rmSync(own, { force: true }) }
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return { socket: path.join(folder, 'socket'), remove }
}

const listening = (server: Server, socket: string) =>
  new Promise<void>((resolve, reject) => {
    // Also later: an error of one connection does not end the process.
    server.on('error', reject)
    server.listen(socket, resolve)
  })

function hear(caller: Socket, serve: (request: DeviceRequest, caller: DeviceCaller) => void): void {
  const over = new AbortController()
  // The command has hung up.
  caller.on('error', () => {})
  caller.on('close', () => over.abort())
  const say = (line: unknown) => {
    // One that does not read must not fill the memory of this process: it asks again.
    if (caller.writableLength > mostUnread) caller.destroy()
    else caller.write(`${JSON.stringify(line)}\n`)
  }
  const lines = createInterface({ input: caller })
  // The stream emits the same error again.
  lines.on('error', () => {})
  lines.on('line', (line) => {
    try {
      serve(DeviceRequest.parse(JSON.parse(line)), { say, hangUp: () => caller.destroy(), over: over.signal })
    } catch {
      // Not a valid request.
      caller.destroy()
    }
  })
}
