import { pathInWords } from '@farhand/device/wording/path-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import { readWithheld, withheldFile } from '@farhand/sync/disk/rules/withheld-files'
import { onFileChange } from '@farhand/sync/state/on-file-change'
import type { CommandContext } from '../../context/command-context.ts'
import { skipWhy } from '../../terminal/link-screen/note-in-words.ts'

const lookMs = 1_000

/**
 * Reports each held-back file once; files that were held back before only if the run is new. `place` is the folder's
 * state. Returns a function that stops it; it keeps no process alive.
 */
export function reportHeldBack(
  place: string,
  { isNew }: { isNew: boolean },
  say: (line: string) => void,
  { called }: CommandContext,
): () => void {
  const told = new Set(isNew ? [] : readWithheld(place).keys())
  const look = () => {
    for (const [path, why] of readWithheld(place)) {
      if (told.has(path)) continue
      told.add(path)
      const allow = `\`${called.farhand} allow ${shellWord(path)}\``
      say(`${pathInWords(path)} was not sent: ${skipWhy[why]}. ${allow} in its folder sends it.`)
    }
  }
  look()
  return onFileChange(withheldFile(place), lookMs, look)
}
