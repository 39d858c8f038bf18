import { mkdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { hubDataAround } from '@farhand/sync/disk/rules/hub-data'
import { isWithin } from '@farhand/sync/state/state-folder'
import { askYesNo } from '../choice/ask-key.ts'
import type { CommandContext } from '../context/command-context.ts'

/** The real path of the folder that the user wants to link; Trouble if it must not be linked, or does not exist and the user does not want it made. */
export async function folderToLink(given: string, state: string, context: CommandContext): Promise<string> {
  const asked = path.resolve(context.cwd, given)
  const folder = realFolder(asked) ?? (await madeFolder(asked, context))
  if (folder === path.parse(folder).root)
    throw refused(`${folder} is everything on this machine.`, 'Link the folder of one project.')
  if (isWithin(folder, realFolder(context.home) ?? context.home))
    throw refused(
      `${folder} ${folder === context.home ? 'is' : 'holds'} your home folder, with its keys and settings.`,
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

async function madeFolder(asked: string, context: CommandContext): Promise<string> {
  if (!(await askYesNo(`There is no folder ${asked}. Make it? [y/N] `, context)))
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
