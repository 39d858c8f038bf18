import { isTyping } from './typing.ts'

/** For so long at most whatever waits for it is put off. */
const mostMs = 2000
/** And for so long if somebody types on and on. */
const mostTypedMs = 10_000
const againMs = 300

const moment = () =>
  new Promise<void>((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: mostMs })
    else setTimeout(resolve, 200)
  })

/** Resolves when the page has nothing to do that somebody waits for. Where a browser cannot tell, a moment later. */
export async function whenIdle(): Promise<void> {
  const since = performance.now()
  await moment()
  while (isTyping() && performance.now() - since < mostTypedMs) {
    await new Promise((resolve) => setTimeout(resolve, againMs))
    await moment()
  }
}
