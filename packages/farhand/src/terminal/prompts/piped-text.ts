import { Trouble } from '@farhand/device/trouble/trouble'
import { limits } from '@farhand/protocol/wire/limits'
import type { CommandContext } from '../../context/command-context.ts'
import { askOrStop } from './ask-or-stop.ts'

/** Room for the rest of a message's event, beside its text. */
const besideBytes = 4096

/** The text of an argument; for `-`, all of standard input. Null if the command is stopped meanwhile. */
export async function saidOrPiped(said: string, context: CommandContext): Promise<string | null> {
  if (said !== '-') return said
  const text = await pipedText(context)
  if (text !== undefined) return text
  throw new Trouble(
    'usage',
    'Nothing is piped into this command: its standard input is a terminal.',
    'Say it in quotes in place of -, or give it a file: - < prompt.txt',
  )
}

/**
 * The first message of a run without a conversation at this terminal: standard input if it is piped, else the user's answer if
 * `canAsk`. Undefined if there is none, null if the command is stopped meanwhile.
 */
export async function pipedOrAsked(
  context: CommandContext,
  canAsk: boolean,
): Promise<string | null | undefined> {
  const text = await pipedText(context)
  if (text === undefined && canAsk && context.ask)
    return await askOrStop('What should the agent do? ', context)
  return text === '' ? undefined : text
}

/** Standard input as text; undefined if it is a terminal, null if the command is stopped meanwhile. */
export async function pipedText({ input, stop }: CommandContext): Promise<string | null | undefined> {
  if (!input) return undefined
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of input(stop)) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes > limits.eventBytes) break
    }
  } catch (error) {
    if (stop.aborted) return null
    throw error
  }
  const text = bytes > limits.eventBytes ? null : asText(Buffer.concat(pieces))
  if (text === null || Buffer.byteLength(JSON.stringify(text)) > limits.eventBytes - besideBytes)
    throw new Trouble(
      'usage',
      'What comes on standard input is too much for one message, which holds 1 MiB.',
      'Put it into a file in the folder of the agent, and tell the agent to read that.',
    )
  return text.replace(/\r?\n$/, '')
}

function asText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Trouble(
      'usage',
      'What comes on standard input is no text in UTF-8.',
      'Put it into a file in the folder of the agent, and describe it in the message.',
      error,
    )
  }
}
