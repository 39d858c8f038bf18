import { existsSync, readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { isWithin } from '@farhand/sync/state/state-folder'
import { PullMemory } from '../pull/pull-memory.ts'
import { Trouble } from '../trouble/trouble.ts'
import { pathInWords } from '../wording/path-in-words.ts'
import { isTrustedName } from './trusted-names.ts'

type Wanted = {
  /** The folder that the agent names; a relative one is in the first root. */
  into: string
  /** Where an agent may have files put: the roots of its host, or else the working folder. */
  roots: readonly string[]
  home: string
  run: string
  state: string
}

/**
 * The folder into which the files of a task may be put. It is in a root, symlinks resolved, in no folder that tools trust, and is new, empty, or
 * from an earlier download of the same run: in a folder with other files, what a sandbox wrote could be taken for settings of the agent or of an
 * editor. A root that has the home in it is none.
 */
export function downloadPlace({ into, roots: named, home, run, state }: Wanted): string {
  const realHome = realPlace(home)
  const roots = named.filter((root) => !isWithin(realPlace(path.resolve(root)), realHome))
  const [first] = roots
  if (first === undefined && named.length > 0)
    throw new Trouble(
      'usage',
      `Files of a task are not put below ${named.map(pathInWords).join(', ')}: your home is there, with the settings of your programs.`,
      rootsHint,
    )
  if (first === undefined) throw new Trouble('usage', 'There is no folder to put files into.', rootsHint)
  const asked = path.resolve(first, into)
  const real = realPlace(asked)
  const around = roots
    .filter((root) => existsSync(root))
    .map((root) => realpathSync(root))
    .filter((root) => isWithin(root, real) && real !== root)
  if (around.length === 0)
    throw new Trouble(
      'usage',
      `${pathInWords(asked)} is in none of the folders where files may be put: ${roots.map(pathInWords).join(', ')}.`,
      newFolderHint,
    )
  if (around.some((root) => path.relative(root, real).split(path.sep).some(isTrustedName)))
    throw new Trouble(
      'usage',
      `${pathInWords(real)} is in a folder from which programs take settings or code.`,
      newFolderHint,
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

const newFolderHint = 'Name a new folder in the project, such as cloud-agent/result.'
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
