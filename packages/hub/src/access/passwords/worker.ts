import { parentPort } from 'node:worker_threads'
import { hashPassword, isPasswordOf } from './argon2id.ts'
import type { Hashed, ToHash } from './password-hasher.ts'

// The program of the thread that hashes passwords, one at a time.
const port = parentPort!
let before: Promise<unknown> = Promise.resolve()

port.on('message', ({ id, ...what }: ToHash & { id: number }) => {
  before = before.then(async () => {
    const answer: Hashed = await work(what).catch((error: unknown) => ({ failed: String(error) }))
    port.postMessage({ id, ...answer })
  })
})

async function work(what: ToHash): Promise<Hashed> {
  if (what.hash === null) return { hash: await hashPassword(what.password) }
  return { isRight: await isPasswordOf(what.password, what.hash) }
}
