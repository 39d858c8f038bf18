import { readWithheld, withheldFile } from '@farhand/sync/disk/rules/withheld-files'
import { onFileChange } from '@farhand/sync/state/on-file-change'
import type { CommandContext } from '../context/command-context.ts'
import { skipWhy } from '../link-screen/note-in-words.ts'
import { pathInWords } from '../printing/path-in-words.ts'
import { shellWord } from '../printing/shell-word.ts'

const lookMs = 1_000

/**
 * Says of each file that a folder holds back, once, that it is not in the run; of those that were held back before only where the
 * run is new. `place` is what this machine remembers of the folder. Gives the way to end it; it keeps no process alive.
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
