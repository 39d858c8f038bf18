import { setTimeout as wait } from 'node:timers/promises'

/** Calls `send` at an even pace, whatever becomes of what was sent: a slow server does not slow its questioner. */
export async function paced(perSecond: number, total: number, send: (n: number) => void): Promise<void> {
  const started = performance.now()
  for (let n = 0; n < total; n++) {
    const early = started + (n * 1000) / perSecond - performance.now()
    if (early > 0) await wait(early)
    send(n)
  }
}
