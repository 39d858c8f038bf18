import { isTyping } from './typing.ts'

/** The longest wait. */
const mostMs = 2000
/** The longest wait while the user keeps typing. */
const mostTypedMs = 10_000
const againMs = 300

const moment = () =>
  new Promise<void>((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: mostMs })
    else setTimeout(resolve, 200)
  })

/** Resolves when the page is idle; after a moment in browsers that cannot tell. */
export async function whenIdle(): Promise<void> {
  const since = performance.now()
  await moment()
  while (isTyping() && performance.now() - since < mostTypedMs) {
    await new Promise((resolve) => setTimeout(resolve, againMs))
    await moment()
  }
}
