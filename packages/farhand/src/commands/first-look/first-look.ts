import { canBeLeftOut, decideFirstLook, type LookedAt } from '@farhand/device/first-look/decide-first-look'
import { lookBeforeSending } from '@farhand/device/first-look/look-before-sending'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { askKey } from '../../terminal/choice/ask-key.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { lookInWords, sentInWords } from './first-look-in-words.ts'

type Circumstances = {
  state: StateFolder
  hub: string
  flags: { secrets?: unknown; json?: unknown }
  maxFileBytes?: number | undefined
  /** Whether the folder's commits are sent, too: files in them cannot be left out. */
  withCommits?: boolean
}

/**
 * Shows what is about to be sent from a folder that this hub has not had before, and asks if it contains suspicious
 * files. Of commits that are sent, it shows the new ones. When it resolves, all files may be sent except those that
 * `leftOutPaths` returns; it throws Trouble if the user refuses.
 */
export async function firstLook(
  folder: string,
  { state, hub, flags, maxFileBytes, withCommits = false }: Circumstances,
  context: CommandContext,
): Promise<void> {
  const secrets = secretsSaid(flags.secrets)
  const { env, home, stop } = context
  const leaveOut = await lookBeforeSending(
    folder,
    { state, hub, maxFileBytes, withCommits, isSaid: secrets !== null },
    { env, home, stop, decide: (looked) => decided(looked, { secrets, hub, flags, withCommits }, context) },
  )
  if (leaveOut.length > 0 && !flags.json) context.note(`Not sent, now and later: ${named(leaveOut)}\n`)
}

function secretsSaid(said: unknown): 'send' | 'leave-out' | null {
  if (said === undefined) return null
  if (said === 'send' || said === 'leave-out') return said
  throw new Trouble('usage', `--secrets is ${JSON.stringify(said)}.`, 'It takes send or leave-out.')
}

type Deciding = Pick<Circumstances, 'hub' | 'flags'> & {
  secrets: 'send' | 'leave-out' | null
  withCommits: boolean
}

async function decided(
  looked: LookedAt,
  { secrets, hub, flags, withCommits }: Deciding,
  context: CommandContext,
): Promise<readonly string[]> {
  const isPersonHere = context.ask !== null && !flags.json
  const step = decideFirstLook(looked, { secrets, isPersonHere, withCommits })
  if (step.do === 'go-on') {
    // With --json nothing is printed here: another line must be the first, and the flags already decide.
    if (!flags.json && step.isShown) context.note(lookInWords(looked, hub, context))
    else if (!flags.json && looked.survey.files.length > 0)
      context.note(`${paint(context.color).dim(sentInWords(looked, hub))}\n`)
    return step.leaveOut
  }
  const stay = canBeLeftOut(looked.suspicious, true)
  if (step.do === 'refuse')
    throw new Trouble(
      'mustAsk',
      `${count(stay.length, 'file')} may hold secrets: ${named(stay)}. Nothing was sent.`,
      'Say what becomes of them: --secrets leave-out keeps them here, --secrets send sends them.',
    )
  context.note(lookInWords(looked, hub, context))
  return await answered(looked, withCommits, context)
}

/** Asks the user; returns the paths to leave out. */
async function answered(
  { suspicious }: LookedAt,
  withCommits: boolean,
  context: CommandContext,
): Promise<readonly string[]> {
  const stay = canBeLeftOut(suspicious, withCommits)
  const others = suspicious.length - stay.length
  if (others > 0)
    context.note(
      `${stay.length === 0 ? 'Those' : count(others, 'file')} that git has go along with the commits they are in.\n`,
    )
  const answer = await askKey(questionFor(stay.length, suspicious.length > 0), context)
  if (answer === 'all') return []
  if (answer === 'leave') return stay
  throw new Trouble(
    'mustAsk',
    'Nothing was sent.',
    stay.length > 0 || others === 0
      ? 'Files that a .farhandignore in the folder names are never sent.'
      : 'With --here no commits go. A clone with --depth 1 has only the newest one.',
  )
}

type Answer = 'all' | 'leave' | 'quit'

/**
 * Enter never sends what may be a secret: it leaves those files out, or sends nothing where they cannot be left out.
 */
function questionFor(stay: number, isSuspicious: boolean) {
  const both = { a: 'all', q: 'quit' } as const
  if (!isSuspicious)
    return { question: 'Enter sends everything, q stops: ', answers: both, usual: 'all' as Answer }
  if (stay === 0)
    return { question: 'a sends everything, Enter or q stops: ', answers: both, usual: 'quit' as Answer }
  const those = stay === 1 ? 'that one' : `those ${stay}`
  return {
    question: `Enter or s sends all but ${those}, a sends everything, q stops: `,
    answers: { s: 'leave', ...both } as Readonly<Record<string, Answer>>,
    usual: 'leave' as Answer,
  }
}

function named(paths: readonly string[]): string {
  const some = paths.slice(0, 5).map(pathInWords).join(', ')
  return paths.length > 5 ? `${some}, and ${(paths.length - 5).toLocaleString('en')} more` : some
}
