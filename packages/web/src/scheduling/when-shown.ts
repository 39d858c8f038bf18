import { whenIdle } from './when-idle.ts'

/** For so long at most whatever waits for it is put off. */
const mostMs = 3000

let tell = () => {}
const shown = new Promise<void>((resolve) => {
  tell = resolve
})

/** To be called when the page shows what it was opened for, or says why it cannot. */
export const markPageShown = (): void => tell()

/**
 * Resolves when the page has shown what it was opened for, and has nothing to do that somebody waits for. Only to wait for an
 * idle moment is too early: a page that waits for its hub has many.
 */
export async function whenPageShown(): Promise<void> {
  await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, mostMs))])
  await whenIdle()
}
