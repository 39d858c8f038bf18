import { Trouble } from '@farhand/device/trouble/trouble'
import type { CommandContext } from '../../context/command-context.ts'
import { Keyboard } from '../../terminal/keys/keyboard.ts'
import type { KeyedTerminal } from '../../terminal/keys/keyed-terminal.ts'

const leaves: readonly string[] = ['interrupt', 'end-of-input', 'escape', 'menu']

/** Runs the action of each key, one after the other, until the user leaves. A failed action only prints its error. */
export async function watchKeys(
  terminal: KeyedTerminal,
  context: Pick<CommandContext, 'stop' | 'note'>,
  actions: Readonly<Record<string, () => Promise<void>>>,
): Promise<void> {
  let under: Promise<void> = Promise.resolve()
  let close = () => {}
  let fail: (error: unknown) => void = () => {}
  const press = (name: string) => {
    const action = actions[name]
    if (action === undefined) return
    under = under.then(action).catch((error: unknown) => {
      if (!(error instanceof Trouble)) return fail(error)
      context.note(`${error.message}\n${error.nextStep}\n`)
    })
  }
  try {
    await new Promise<void>((resolve, reject) => {
      fail = reject
      if (context.stop.aborted) return resolve()
      context.stop.addEventListener('abort', () => resolve(), { once: true })
      const keyboard = new Keyboard((key) => {
        if (key.is === 'suspend') terminal.suspend()
        else if (leaves.includes(key.is)) resolve()
        else if (key.is === 'text') for (const letter of key.text) press(letter.toLowerCase())
      })
      const release = terminal.open({
        keys: (bytes) => keyboard.pressed(bytes),
        says: (text) => terminal.write(text.replaceAll('\n', '\r\n')),
        ended: () => resolve(),
        resized: () => {},
        resumed: () => {},
        suspending: () => {},
      })
      close = () => {
        keyboard.close()
        release()
      }
    })
  } finally {
    close()
  }
}
