import { parentPort } from 'node:worker_threads'
import type { DiskStart, FromDisk, ToDisk } from './disk-messages.ts'
import { DiskThread } from './disk-thread.ts'
import { FolderInUse } from './workspace/folder-in-use.ts'

// The program of the disk's own thread: it answers requests and reports changes until it is closed.
const port = parentPort!
const say = (message: FromDisk, buffers: ArrayBuffer[] = []) => port.postMessage(message, buffers)

port.once('message', (start: DiskStart) => {
  try {
    const disk = new DiskThread(start, say, () => port.close())
    port.on('message', (message: ToDisk) => disk.handle(message))
    say({ is: 'ready' })
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const pid = error instanceof FolderInUse ? { pid: error.pid } : {}
    say({ is: 'failed', id: null, message, ...(code ? { code } : {}), ...pid })
    port.close()
  }
})
