import { keychainEntry } from '@farhand/device/account/keychain-entry'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { CommandContext } from '../../context/command-context.ts'

/** Runs one keychain request from standard input. It is a process of its own because a keychain can block for ever. */
export async function keychainCommand(context: CommandContext): Promise<void> {
  const pieces: Uint8Array[] = []
  for await (const piece of context.input?.(context.stop) ?? []) pieces.push(piece)
  try {
    const answer = await keychainEntry(JSON.parse(Buffer.concat(pieces).toString('utf8')))
    context.out(`${JSON.stringify(answer)}\n`)
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error)
    const next = `\`${context.called.farhand} doctor\` says where tokens are kept instead.`
    throw new Trouble('failed', `The keychain cannot be used: ${says}`, next, error)
  }
}
