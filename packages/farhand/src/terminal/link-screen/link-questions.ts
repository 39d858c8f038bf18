import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { Ask, Sample, SyncAnswer, SyncQuestion } from '@farhand/sync/engine/sync-notes'
import type { CommandContext } from '../../context/command-context.ts'
import type { LinkScreen } from './link-screen.ts'

type Choice = { key: string; answer: SyncAnswer; does: string; flag: string | null }
/**
 * `unchanged` is what holds if the sync stops here, after anything that happened before; `withdrawn` is why the question is not asked any more.
 */
type Asked = { says: string[]; choices: Choice[]; unchanged: string; withdrawn: string }

/** The answers that flags have given. */
export type Decided = {
  'first-attach'?: 'mine' | 'theirs'
  vanished?: 'delete' | 'bring-back'
  'head-moved'?: 'send'
}

/**
 * Answers the questions that only the user may decide: from the flags, else by asking. Where the command cannot ask, the
 * answer is to stop, and `refusal` is the Trouble that names the flags.
 */
export function linkQuestions(
  decided: Decided,
  context: CommandContext,
  screen: Pick<LinkScreen, 'say' | 'whileAsking'>,
  /** The command that goes on, without the flag that decides. */
  command = `${context.called.farhand} link <folder>`,
): { ask: Ask; refusal: () => Trouble | null; unchanged: () => string } {
  let refusal: Trouble | null = null
  let unchanged = ''
  const ask = async (question: SyncQuestion, signal: AbortSignal): Promise<SyncAnswer> => {
    const answer = decided[question.is]
    if (answer) return answer
    const asked = questionInWords(question)
    unchanged = asked.unchanged
    if (!context.ask) {
      refusal = mustAsk(asked, command)
      return 'stop'
    }
    const choices = asked.choices.map(({ key, does }) => `  ${key}  ${does}`)
    for (const line of [...asked.says, ...choices, nothingMovesUntilAnswered]) screen.say(line)
    return screen
      .whileAsking(() => chosen(asked.choices, context.ask!, signal, context.note))
      .catch((error: unknown) => {
        if (signal.aborted && !context.stop.aborted) screen.say(`No longer asked: ${asked.withdrawn}`)
        throw error
      })
  }
  return { ask: ask as Ask, refusal: () => refusal, unchanged: () => unchanged }
}

const nothingMovesUntilAnswered = 'Until this is answered, nothing more goes to the run or comes from it.'

async function chosen(
  choices: readonly Choice[],
  ask: NonNullable<CommandContext['ask']>,
  signal: AbortSignal,
  note: CommandContext['note'],
): Promise<SyncAnswer> {
  const keys = choices.map(({ key }) => key).join('/')
  for (;;) {
    const typed = (await ask(`Your choice [${keys}] `, signal)).trim().toLowerCase()
    const choice = choices.find(({ key, answer }) => typed === key || typed === answer)
    if (choice) return choice.answer
    const known = choices.map(({ key, answer }) => `${key} (${answer})`)
    note(`Type ${known.slice(0, -1).join(', ')} or ${known.at(-1)}, then Enter.\n`)
  }
}

const stop = (meanwhile: string): Choice => ({
  key: 's',
  answer: 'stop',
  does: `stop here; ${meanwhile}`,
  flag: null,
})

/** The text of a question: what would change, and the choices. */
export function questionInWords(question: SyncQuestion): Asked {
  switch (question.is) {
    case 'first-attach':
      return {
        says: [
          'This folder and the run meet for the first time, and they are not the same.',
          ...part('only here', question.onlyHere),
          ...part('only in the run', question.onlyThere),
          ...part('different', question.differ),
        ],
        choices: [
          {
            key: 'm',
            answer: 'mine',
            does: 'mine: where both have a file, the one of this folder counts; the rest goes both ways',
            flag: '--mine',
          },
          {
            key: 't',
            answer: 'theirs',
            does: "theirs: where both have a file, the run's counts; the rest goes both ways",
            flag: '--theirs',
          },
          stop('nothing is changed'),
        ],
        unchanged: 'Nothing was changed.',
        withdrawn: 'it has ended before anything was changed.',
      }
    case 'vanished':
      return {
        says: [vanishedWords(question), ...part('gone', question.gone)],
        choices: [
          { key: 'd', answer: 'delete', does: 'delete them in the run too', flag: '--gone delete' },
          { key: 'b', answer: 'bring-back', does: 'bring them back from the run', flag: '--gone bring-back' },
          stop('they stay in the run'),
        ],
        unchanged: 'They are still in the run.',
        withdrawn: 'not that many files are gone any more.',
      }
    case 'head-moved':
      return {
        says: [
          'Another commit was checked out here, or something was stashed: this would go to the run as edits.',
          ...part('would be sent', question.changes),
        ],
        choices: [
          { key: 'y', answer: 'send', does: 'send them: the run follows this folder', flag: '--head send' },
          stop('none of this is sent'),
        ],
        unchanged: 'None of this was sent.',
        withdrawn: 'there is nothing left here that would be sent.',
      }
  }
}

function vanishedWords({ gone, of, before, all }: Extract<SyncQuestion, { is: 'vanished' }>): string {
  if (all) return `The folder is empty, and had ${count(of + before, 'file')}.`
  const more = before > 0 ? ` Right before, ${count(before, 'other')} went.` : ''
  return `${gone.count.toLocaleString('en')} of ${count(of, 'file')} are gone from this folder.${more}`
}

function part(what: string, { count: total, some }: Sample): string[] {
  if (total === 0) return []
  const shown = some.slice(0, 5).map(pathInWords).join(', ')
  const more = total > Math.min(5, some.length) ? ', ...' : ''
  return [`  ${what}: ${count(total, 'file')} (${shown}${more})`]
}

function mustAsk({ says, choices, unchanged }: Asked, command: string): Trouble {
  const flags = choices.flatMap(({ flag, does }) => (flag ? [`  ${command} ${flag}\n      ${does}`] : []))
  return new Trouble(
    'mustAsk',
    says.join('\n'),
    `${unchanged} Decide with one of these:\n${flags.join('\n')}`,
  )
}
