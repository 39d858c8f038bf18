import { parentPort } from 'node:worker_threads'
import { type Assemble, type Assembled, PatchedFiles } from './patched-files.ts'

// The program of the thread that makes blobs from patches, one at a time: two at once would only compete for the disk.
const port = parentPort!
const files = new PatchedFiles()
let before: Promise<unknown> = Promise.resolve()

port.on('message', ({ id, ...what }: Assemble & { id: number }) => {
  before = before.then(async () => {
    const answer: Assembled = await files.assemble(what)
    port.postMessage({ id, ...answer })
  })
})
