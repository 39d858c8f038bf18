import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { within } from '@farhand/kit/within'
import { serveAcp } from '../acp-program.ts'
import { rehearsal } from './rehearsal.ts'
import { SessionStore } from './session-store.ts'

const patienceMs = 1_000

/** Runs the rehearsal agent on standard input and output; ends the process when it is done. */
export function runRehearsal(env: Readonly<Record<string, string | undefined>>): void {
  const { REHEARSAL_HOME: home, REHEARSAL_SESSION_ID: firstSessionId } = env
  const stop = new AbortController()
  let isDeaf = false
  let sessions = 0

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!isDeaf) stop.abort()
    })
  }
  // The host has gone; the end of our input ends us.
  process.stdout.on('error', () => {})

  const program = rehearsal({
    version: '0.1.0',
    store: home ? new SessionStore(home) : null,
    newSessionId: () => {
      sessions += 1
      if (!firstSessionId) return randomUUID()
      return sessions === 1 ? firstSessionId : `${firstSessionId}-${sessions}`
    },
    world: {
      nowMs: () => Date.now(),
      crash: async (code) => {
        await new Promise((written) => process.stdout.write('', written))
        process.exit(code)
      },
      turnDeaf: () => {
        isDeaf = true
        // Keeps the process alive without its input.
        setInterval(() => {}, 60_000)
      },
    },
  })

  const over = new AbortController()
  process.stdin.once('end', () => over.abort())
  process.stdin.once('close', () => over.abort())
  stop.signal.addEventListener('abort', () => over.abort())

  const served = serveAcp(program, { input: process.stdin, output: process.stdout, stop: stop.signal })
  over.signal.addEventListener('abort', () => void leave())
  void served.then(leave)

  async function leave(): Promise<void> {
    // A turn that hangs does not keep the process alive; only one that hangs hard does.
    await within(patienceMs, served)
    if (!isDeaf) process.exit(0)
  }
}
