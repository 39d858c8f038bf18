import { existsSync, readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { isWithin } from '@farhand/sync/state/state-folder'
import { PullMemory } from '../pull/pull-memory.ts'
import { Trouble } from '../trouble/trouble.ts'
import { pathInWords } from '../wording/path-in-words.ts'

type Wanted = {
  /** The folder that the agent names; a relative one is in the first root. */
  into: string
  /** Where an agent may have files put: the roots of its host, or else the working folder. */
  roots: readonly string[]
  run: string
  state: string
}

/**
 * The folder into which the files of a task may be put. It is in a root, symlinks resolved, and is new, empty, or from an earlier download of the
 * same run: in a folder with other files, what a sandbox wrote could be taken for settings of the agent or of an editor.
 */
export function downloadPlace({ into, roots, run, state }: Wanted): string {
  const [first] = roots
  if (first === undefined) throw new Trouble('usage', 'There is no folder to put files into.', rootsHint)
  const asked = path.resolve(first, into)
  const real = realPlace(asked)
  if (
    !roots.some(
      (root) => existsSync(root) && isWithin(realpathSync(root), real) && real !== realpathSync(root),
    )
  )
    throw new Trouble(
      'usage',
      `${pathInWords(asked)} is in none of the folders where files may be put: ${roots.map(pathInWords).join(', ')}.`,
      'Name a new folder in one of these, such as cloud-agent/result.',
    )
  const isOwn = new PullMemory(state, real).read()?.at.run === run
  if (!isOwn && existsSync(real) && readdirSync(real).length > 0)
    throw new Trouble(
      'usage',
      `${pathInWords(asked)} has other files already.`,
      'Name a new folder, look at the files there, and then move what is wanted.',
    )
  return real
}

const rootsHint = 'Start the server in the folder of a project, or let your host give it a root.'

/** The real path of what exists of a path, with the rest appended. */
function realPlace(asked: string): string {
  try {
    return realpathSync(asked)
  } catch (error) {
    const parent = path.dirname(asked)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === asked) throw error
    return path.join(realPlace(parent), path.basename(asked))
  }
}
