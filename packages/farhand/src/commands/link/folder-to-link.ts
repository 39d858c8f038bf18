import { linkableFolder } from '@farhand/device/linked-folders/linkable-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { askYesNo } from '../../terminal/choice/ask-key.ts'

/** The real path of the folder that the user wants to link. If it does not exist, the user is asked whether it is made. */
export const folderToLink = (given: string, state: string, context: CommandContext): Promise<string> =>
  linkableFolder(given, state, {
    cwd: context.cwd,
    home: context.home,
    mayMake: async (folder) =>
      (await askYesNo(`There is no folder ${folder}. Make it? [y/N] `, context)) ?? false,
  })
