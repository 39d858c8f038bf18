import { exitCodes } from './exit-codes.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

/** Does something and, if it fails and JSON was asked for, says so in a line of JSON too. */
export async function withJsonErrors<Result>(
  flags: { json?: unknown },
  world: World,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (flags.json && !(error instanceof Trouble && error.isTold))
      world.out(`${JSON.stringify(asJson(error))}\n`)
    throw error
  }
}

function asJson(error: unknown) {
  const message = error instanceof Error ? error.message : String(error)
  const exit = error instanceof Trouble ? error.exit : 'failed'
  const nextStep = error instanceof Trouble ? error.nextStep : null
  return { event: 'error', code: exit, exit: exitCodes[exit].code, message, nextStep }
}
