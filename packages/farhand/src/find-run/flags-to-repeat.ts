import { shellWord } from '../printing/shell-word.ts'
import type { RunFlags } from './linked-run.ts'

/** What was said of the run and how to reach it, for a command that is to be copied. A token is never shown again. */
export function flagsToRepeat({ run, hub, token, state }: RunFlags): string {
  // The link to sign in holds one as well.
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
