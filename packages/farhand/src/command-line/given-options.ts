import type { Command } from 'commander'

/**
 * What was said on the command line. Commander's own defaults (`--no-x` means x is true) would pass for the user's word
 * and hide the environment.
 */
export const givenOptions = (command: Command): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(command.opts()).filter(([key]) => command.getOptionValueSource(key) === 'cli'),
  )

/** All values of an option that can be said several times. */
export const repeatable = (value: string, before: string[] = []) => [...before, value]
