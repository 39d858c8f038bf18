import type { Command } from 'commander'

/**
 * The options that the user gave on the command line. Commander's defaults (`--no-x` sets x to true) are left out: they would
 * count before the environment.
 */
export const givenOptions = (command: Command): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(command.opts()).filter(([key]) => command.getOptionValueSource(key) === 'cli'),
  )

/** Collects the values of an option that can be given several times. */
export const repeatable = (value: string, before: string[] = []) => [...before, value]
