import { Refusal, Unreachable } from '@farhand/client/requests/refusal'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { CommandContext } from '../../context/command-context.ts'

/** Trouble for an address at which no hub answers. */
export function noAnswer(url: string, error: unknown, { called }: Pick<CommandContext, 'called'>): Trouble {
  // The message of Unconfirmed is for programs, which can repeat the request under its key.
  const first = error instanceof Unconfirmed ? error.cause : error
  const said = first instanceof Error ? first.message : String(first)
  const why = said.endsWith('bad port') ? 'that port is kept for another kind of service' : said
  const start = called.hub.replace(/ --$/, '')
  const next = `Is the hub running, and is this its address? \`${start}\` starts one here; --hub <url> names another one.`
  return new Trouble('failed', `No hub answers at ${url}: ${why}.`, next, error)
}

/** Trouble for a hub that refuses or does not answer; null if the error is about something else. */
export function hubTrouble(
  thrown: unknown,
  url: string,
  { called }: Pick<CommandContext, 'called'>,
  reopening?: string,
): Trouble | null {
  // An Unconfirmed request that the hub has refused by now: the refusal is what the user needs to know.
  const isAnswered = thrown instanceof Unconfirmed && thrown.cause instanceof Refusal
  const error = isAnswered ? thrown.cause : thrown
  if (error instanceof Unreachable) return noAnswer(url, error, { called })
  if (!(error instanceof Refusal)) return null
  if (error.saidCode === 'token.revoked' || error.saidCode === 'token.expired')
    return new Trouble(
      'failed',
      `Your token for ${url} ${error.saidCode === 'token.expired' ? 'has expired' : 'was revoked'}.`,
      `Sign in again: \`${called.farhand} bind ${url}\` with your password, or \`${called.farhand} login ${url}\` with another token.`,
      error,
    )
  if (error.remedy === 'sign-in')
    return new Trouble(
      'failed',
      `The hub at ${url} does not know this token.`,
      `On the machine of the hub \`${called.farhand} user token owner --data <its data folder>\` makes one. Give it with --token.`,
      error,
    )
  if (error.code === 'storage.full')
    return new Trouble(
      'failed',
      `The hub at ${url} has no room left.`,
      'Free some space where the hub keeps its data, then try again.',
      error,
    )
  if (error.code === 'runner.fenced' || error.code === 'producer.fenced')
    return new Trouble(
      'fenced',
      "Another folder, or a runner, has become the run's far side.",
      'There can be one. Link this folder again to take the seat back, or with --wins disk to work beside it.',
      error,
    )
  if (error.code === 'device.fenced')
    return new Trouble(
      'fenced',
      'Another process syncs this folder: its remembered state was copied, and the copy is in use.',
      'Stop one of the two, or have this one forget the run with `unlink` and link it again.',
      error,
    )
  if (error.code === 'run.closed')
    return new Trouble(
      'runClosed',
      'The run is closed.',
      reopening ?? 'Link a folder to it with --reopen to open it again.',
      error,
    )
  if (error.code === 'run.unknown')
    return new Trouble(
      'usage',
      `Run not found at ${url}, or it is not yours.`,
      `Look at --run: \`${called.farhand} links\` lists the runs of linked folders, and \`${called.farhand} link <folder> --run new --hub ${url}\` begins one.`,
      error,
    )
  if (error.code === 'secret.unknown')
    return new Trouble(
      'failed',
      hubSays(error),
      `\`${called.farhand} secret ls\` lists those that there are, \`${called.farhand} secret set <name>\` keeps one; --project names the project, which is called as its folder is.`,
      error,
    )
  return new Trouble('failed', hubSays(error), `(${error.saidCode})`, error)
}

/** For `catch`: throws the trouble of an error, or the error itself if it is about something else. */
export const asHubTrouble =
  (url: string, context: Pick<CommandContext, 'called'>, reopening?: string) =>
  (error: unknown): never => {
    throw hubTrouble(error, url, context, reopening) ?? error
  }

// Some messages of the hub end with a full stop.
const hubSays = ({ message }: Refusal) => `The hub says: ${message.replace(/\.$/, '')}.`
