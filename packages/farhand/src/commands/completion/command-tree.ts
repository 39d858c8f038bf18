import type { Command, Option } from 'commander'

export type OptionLeaf = {
  /** For example `--run`, `-V`. */
  flags: readonly string[]
  /** The name of its value, such as `run`; null if it takes none. */
  takes: string | null
  /** Whether the value may be left out. */
  isOptional: boolean
  choices: readonly string[]
  says: string
}

/** A command that the user can type; hidden ones are left out. */
export type CommandTree = {
  name: string
  aliases: readonly string[]
  says: string
  options: readonly OptionLeaf[]
  takes: readonly { name: string; isMany: boolean; choices: readonly string[] }[]
  commands: readonly CommandTree[]
}

/** A command and its subcommands as plain values, from Commander. */
export function commandTree(command: Command): CommandTree {
  const help = command.createHelp()
  const own = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  return {
    name: command.name(),
    aliases: command.aliases(),
    says: command.summary() || (command.description().split('\n')[0] ?? ''),
    options: help.visibleOptions(command).map(leafOf),
    takes: command.registeredArguments.map((one) => ({
      name: one.name(),
      isMany: one.variadic,
      choices: one.argChoices ?? [],
    })),
    commands: own.map(commandTree),
  }
}

function leafOf(option: Option): OptionLeaf {
  const takes = /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1] ?? null
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    takes,
    isOptional: option.optional,
    choices: option.argChoices ?? [],
    says: option.description,
  }
}
