import { shellWord } from '@farhand/device/wording/shell-word'
import type { RunFlags } from './linked-run.ts'

/** The flags about the run and its hub, for a command that the user can copy. A token is never printed. */
export function flagsToRepeat({ run, hub, token, state }: RunFlags): string {
  // A sign-in link contains a token, too.
  const [url, signIn] = hub === undefined ? [] : String(hub).split(/\/*#token=/)
  const hidden = token !== undefined || signIn !== undefined ? '...' : undefined
  const words = [
    ['--run', run],
    ['--hub', url],
    ['--state', state],
    ['--token', hidden],
  ]
  return words
    .filter(([, value]) => value !== undefined)
    .map(([flag, value]) => ` ${flag} ${shellWord(String(value))}`)
    .join('')
}
