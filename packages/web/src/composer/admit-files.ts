import { sizeInWords } from '../text/size-in-words.ts'

/** How many files one message may have, and how large each may be. */
export const attachLimits = { files: 20, bytes: 25 * 1024 * 1024 }

type Some = { name: string; size: number }

/** Which of these files can be attached to a message that already has some, and a sentence for each problem. */
export function admitFiles<F extends Some>(
  files: readonly F[],
  already: number,
): { taken: F[]; troubles: string[] } {
  const troubles: string[] = []
  const taken: F[] = []
  let isTooMany = false
  for (const file of files) {
    if (file.size > attachLimits.bytes)
      troubles.push(
        `${file.name} has ${sizeInWords(file.size)}; an attachment can have at most ${sizeInWords(attachLimits.bytes)}.`,
      )
    else if (file.size === 0) troubles.push(`${file.name} is empty, or a folder.`)
    else if (already + taken.length >= attachLimits.files) isTooMany = true
    else taken.push(file)
  }
  if (isTooMany) troubles.push(`A message can have at most ${attachLimits.files} attachments.`)
  return { taken, troubles }
}
