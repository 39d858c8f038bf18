import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type DaemonAnswer, DaemonRequest, daemonFolder, daemonSocketFile } from './daemon-protocol.ts'

// Socket paths are limited to 104 bytes on some systems.
const longestName = 100
const socketName = 'socket'

/**
 * Opens the daemon's socket in a folder that only its user may enter. The caller holds the daemon's lock, so any
 * existing socket belongs to a dead daemon.
 */
export async function openDaemonSocket(
  state: string,
  answer: (ask: DaemonRequest['ask']) => DaemonAnswer,
): Promise<{ close(): void }> {
  mkdirSync(daemonFolder(state), { recursive: true, mode: 0o700 })
  const { socket, remove } = socketFor(daemonFolder(state))
  const callers = new Set<Socket>()
  const server = createServer((caller) => {
    callers.add(caller)
    caller.on('close', () => callers.delete(caller))
    hear(caller, answer)
  })
  await listening(server, socket)
  const file = daemonSocketFile(state)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, socket, { mode: 0o600 })
  renameSync(draft, file)
  return {
    close() {
      // The state folder may have been removed, and belong to another daemon by now.
      if (isWritten(file, socket)) rmSync(file, { force: true })
      server.close()
      // An answer now would come from a daemon that is ending.
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
    server.once('error', reject)
    server.listen(socket, resolve)
  })

function hear(caller: Socket, answer: (ask: DaemonRequest['ask']) => DaemonAnswer): void {
  // The client has hung up.
  caller.on('error', () => {})
  createInterface({ input: caller }).on('line', (line) => {
    try {
      caller.write(`${JSON.stringify(answer(DaemonRequest.parse(JSON.parse(line)).ask))}\n`)
    } catch {
      // Not a valid request.
      caller.destroy()
    }
  })
}
