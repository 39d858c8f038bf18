import { mkdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { hubDataAround } from '@farhand/sync/disk/rules/hub-data'
import { isWithin } from '@farhand/sync/state/state-folder'
import { Trouble } from '../trouble/trouble.ts'

/** Where the user is, and whether they want a missing folder to be made. */
type Asker = { cwd: string; home: string; mayMake: (folder: string) => Promise<boolean> }

/** The real path of the folder that the user wants to link; Trouble if it must not be linked, or does not exist and the user does not want it made. */
export async function linkableFolder(
  given: string,
  state: string,
  { cwd, home, mayMake }: Asker,
): Promise<string> {
  const asked = path.resolve(cwd, given)
  const folder = realFolder(asked) ?? (await madeFolder(asked, mayMake))
  if (folder === path.parse(folder).root)
    throw refused(`${folder} is everything on this machine.`, 'Link the folder of one project.')
  if (isWithin(folder, realFolder(home) ?? home))
    throw refused(
      `${folder} ${folder === home ? 'is' : 'holds'} your home folder, with its keys and settings.`,
      'Link the folder of one project.',
    )
  if (isOfTheSystem(folder))
    throw refused(`${folder} belongs to the system.`, 'Link the folder of one project.')
  const data = hubDataAround(folder)
  if (data !== null)
    throw refused(
      `A hub keeps its data in ${data}${data === folder ? '' : `, and ${folder} is in it`}.`,
      'Link the folder of one project.',
    )
  if (isWithin(folder, state))
    throw refused(
      `The state folder ${state} lies in ${folder}, and would be synced itself.`,
      'Give another one with --state.',
    )
  return folder
}

/** The real path of a folder; null if it does not exist. */
function realFolder(asked: string): string | null {
  try {
    const folder = realpathSync(asked)
    if (statSync(folder).isDirectory()) return folder
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    const why = code === 'EACCES' ? 'this user may not look into it' : (error as Error).message
    throw refused(
      `${asked} cannot be linked: ${why}.`,
      'Link another folder, or change who may read this one.',
    )
  }
  throw refused(`${asked} is a file.`, 'Link the folder that it is in.')
}

async function madeFolder(asked: string, mayMake: Asker['mayMake']): Promise<string> {
  if (!(await mayMake(asked)))
    throw refused(`There is no folder ${asked}.`, `Make it first: mkdir -p ${asked}`)
  mkdirSync(asked, { recursive: true })
  return realpathSync(asked)
}

// On some systems /bin and its like are symlinks to folders in /usr.
const ofTheSystem =
  /^(?:\/private)?\/(?:etc|var|usr|proc|sys|dev|boot|run|root|home|(?:usr\/)?(?:bin|sbin|lib|lib\d+|libx32))$/
const ofOtherSystems =
  /^\/(?:System|Library|Applications|Users|Volumes|private)$|^[a-z]:\\(?:windows|users|program\w* .*)$/i

/** Whether this is a folder of the system itself. Folders in it may belong to users. */
export const isOfTheSystem = (folder: string) => ofTheSystem.test(folder) || ofOtherSystems.test(folder)

const refused = (message: string, nextStep: string) => new Trouble('usage', message, nextStep)
