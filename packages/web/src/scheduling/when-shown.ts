import { whenIdle } from './when-idle.ts'

/** The longest wait. */
const mostMs = 3000

let tell = () => {}
const shown = new Promise<void>((resolve) => {
  tell = resolve
})

/** Call this when the page shows its main content, or an error instead. */
export const markPageShown = (): void => tell()

/**
 * Resolves when the page has shown its main content and is idle. Waiting only for an idle moment is too early: a
 * page that waits for the hub has many.
 */
export async function whenPageShown(): Promise<void> {
  await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, mostMs))])
  await whenIdle()
}
