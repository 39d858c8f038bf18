import { type Command, Option } from 'commander'

/** Which hub, who one is there, and what this machine remembers of both: said alike by every command that asks. */
export const hubOption = () =>
  new Option('--hub <url>', 'the hub, or the link to sign in to it (FARHAND_URL)')

export const tokenOption = () => new Option('--token <token>', 'who you are there (FARHAND_TOKEN)')

export const stateOption = () =>
  new Option('--state <folder>', 'where this machine remembers its runs (FARHAND_STATE)')

/** Has a command take all of them, and say what it has to say to programs, too. */
export const withHubOptions = (command: Command, json: string) =>
  command.addOption(hubOption()).addOption(tokenOption()).addOption(stateOption()).option('--json', json)
