import { parentPort } from 'node:worker_threads'
import { type Assemble, type Assembled, PatchedFiles } from './patched-files.ts'

// The program of the thread that puts blobs together, one at a time: two would only share the disk.
const port = parentPort!
const files = new PatchedFiles()
let before: Promise<unknown> = Promise.resolve()

port.on('message', ({ id, ...what }: Assemble & { id: number }) => {
  before = before.then(async () => {
    const answer: Assembled = await files.assemble(what)
    port.postMessage({ id, ...answer })
  })
})
