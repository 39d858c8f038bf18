import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { diskFull } from '@farhand/device/trouble/disk-full'
import { Trouble } from '@farhand/device/trouble/trouble'
import { CommanderError } from 'commander'
import type { CommandContext } from '../../context/command-context.ts'
import { exitCodes } from './exit-codes.ts'

const told = new WeakSet<Error>()

/** Commander throws for --help and --version, too, which are no errors. */
const isUntold = (error: Error) =>
  !told.has(error) &&
  !(error instanceof Trouble && error.isTold) &&
  !(error instanceof CommanderError && error.exitCode === 0)

/** As `reportedInJson`, and turns a full disk of the state folder into Trouble. */
export const withJsonErrors = <Result>(
  flags: { json?: unknown; state?: unknown },
  context: CommandContext,
  act: () => Promise<Result>,
): Promise<Result> =>
  reportedInJson(flags, context, () =>
    act().catch((error: unknown) => {
      throw diskFull(error, stateFolderPath(flags.state, context)) ?? error
    }),
  )

/** Runs an action; if it fails and --json is set, prints the error as a line of JSON before it throws. */
export async function reportedInJson<Result>(
  flags: { json?: unknown },
  context: CommandContext,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (flags.json && error instanceof Error && isUntold(error)) {
      told.add(error)
      context.out(`${JSON.stringify(asJson(error))}\n`)
    }
    throw error
  }
}

function asJson(error: unknown) {
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '')
    return { event: 'error', code: 'usage', exit: exitCodes.usage.code, message, nextStep: null }
  }
  const message = error instanceof Error ? error.message : String(error)
  const exit = error instanceof Trouble ? error.exit : 'failed'
  const nextStep = error instanceof Trouble ? error.nextStep : null
  return { event: 'error', code: exit, exit: exitCodes[exit].code, message, nextStep }
}
