import type { Key } from '../keys/key-reader.ts'
import type { KeyedTerminal } from '../keys/keyed-terminal.ts'

/** Long enough for keys that were typed before the question to arrive: they must not answer it. */
const drainMs = 30

/** What the user chose with a key; or that they left, or stopped the command with Ctrl-C. */
export type Pressed<Of> = { chosen: Of } | 'left' | 'interrupted'

/**
 * Shows a hint in one row and waits for a key that means something; then wipes the hint and gives the terminal back.
 */
export async function waitForKey<Of>(
  terminal: KeyedTerminal,
  hint: string,
  meaning: (key: Key) => Pressed<Of> | null,
  stop: AbortSignal,
): Promise<Pressed<Of>> {
  const { Keyboard } = await import('../keys/keyboard.ts')
  let close = () => {}
  let isShown = false
  const wipe = () => terminal.write('\r\x1b[K')
  const show = () => {
    isShown = true
    terminal.write(hint)
  }
  try {
    return await new Promise<Pressed<Of>>((resolve) => {
      const interrupted = () => resolve('interrupted')
      const keyboard = new Keyboard((key) => {
        if (key.is === 'suspend') return terminal.suspend()
        const pressed = meaning(key)
        if (pressed === 'left' || pressed === 'interrupted' || (pressed && isShown)) resolve(pressed)
      })
      const release = terminal.open({
        keys: (bytes) => keyboard.pressed(bytes),
        resized: () => {},
        suspending: wipe,
        resumed: show,
        ended: () => resolve('left'),
        says: (text) => {
          wipe()
          terminal.write(text.replaceAll('\n', '\r\n'))
          show()
        },
      })
      stop.addEventListener('abort', interrupted)
      if (stop.aborted) interrupted()
      const drained = setTimeout(show, drainMs)
      close = () => {
        clearTimeout(drained)
        keyboard.close()
        stop.removeEventListener('abort', interrupted)
        wipe()
        release()
      }
    })
  } finally {
    close()
  }
}
