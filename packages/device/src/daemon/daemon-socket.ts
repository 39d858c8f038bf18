import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type DaemonAnswer, DaemonRequest, daemonFolder, daemonSocketFile } from './daemon-protocol.ts'

// Names of sockets are short, whatever those of files may be: 104 bytes where they are shortest.
const longestName = 100
const socketName = 'socket'

/**
 * Lets commands of the same user speak to the daemon: it lies in a folder that nobody else may enter. Whoever opens it
 * has the daemon's lock, so that whatever is there was left by one that is dead.
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
      // The folder may have been removed, and be that of another one by now.
      if (isWritten(file, socket)) rmSync(file, { force: true })
      server.close()
      // Whoever is told something now would rely on one that has ended.
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
  // Each has a name of its own: a server removes its socket by name when it ends, whoever has that name by then.
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
  // Whoever hangs up has heard enough.
  caller.on('error', () => {})
  createInterface({ input: caller }).on('line', (line) => {
    try {
      caller.write(`${JSON.stringify(answer(DaemonRequest.parse(JSON.parse(line)).ask))}\n`)
    } catch {
      // Not a word of ours: there is nothing to say to it.
      caller.destroy()
    }
  })
}
