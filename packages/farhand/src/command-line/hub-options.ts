import { type Command, Option } from 'commander'
import type { Setting } from './options/settings.ts'

/** The options that name the hub, the token and the state folder, the same for every command. */
export const hubOption = () =>
  new Option('--hub <url>', 'the hub, or the link to sign in to it (FARHAND_URL)')

export const tokenOption = () => new Option('--token <token>', 'your token at the hub (FARHAND_TOKEN)')

export const stateOption = () =>
  new Option('--state <folder>', 'where this machine remembers its runs (FARHAND_STATE)')

/** Adds all three options and --json to a command. */
export const withHubOptions = (command: Command, json: string) =>
  command.addOption(hubOption()).addOption(tokenOption()).addOption(stateOption()).option('--json', json)

/** The option for a setting of the hub. */
export function settingOption({ flag, kind, takes, description, fallback }: Setting): Option {
  const none = fallback === undefined || kind !== 'value'
  const text = none ? description : `${description} (default: ${fallback})`
  return new Option(kind === 'switch' ? flag : `${flag} <${takes}>`, text)
}
