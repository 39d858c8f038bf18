import { plainLine } from '@farhand/protocol/text/plain-text'
import type { MarkItem, RewindTo } from '../items/story.ts'
import { authorInWords } from './author-in-words.ts'
import { durationBetween, durationInWords } from './duration-in-words.ts'

type Mark = MarkItem['mark']
export type MarkWords = {
  words: string
  more?: string
  tone?: 'warn' | 'bad'
  isUnderWay?: boolean
}

const phases: Readonly<Record<string, { doing: string; done: string; failed: string }>> = {
  provisioning: {
    doing: 'Creating a sandbox',
    done: 'Sandbox ready',
    failed: 'The sandbox could not be created',
  },
  restoring: {
    doing: 'Copying files into the sandbox',
    done: 'Files copied',
    failed: 'Files could not be copied into the sandbox',
  },
  setup: { doing: 'Running the setup command', done: 'Setup done', failed: 'The setup command failed' },
  checkpointing: { doing: 'Making a checkpoint', done: 'Checkpoint made', failed: 'The checkpoint failed' },
}

const began: Readonly<Record<Extract<Mark, { is: 'agent' }>['how'], string>> = {
  new: 'began',
  loaded: 'goes on in the same conversation',
  resumed: 'goes on in the same conversation',
  briefed: 'was briefed on the run so far, and goes on',
}

/** A mark in one line. */
export function markInWords(mark: Mark): MarkWords {
  switch (mark.is) {
    case 'checkpoint':
      return { words: mark.number ? `Checkpoint ${mark.number}` : 'Checkpoint' }
    case 'restored':
      return restored(mark)
    case 'commit':
      return { words: commitWords(mark), ...(mark.branch ? { more: mark.branch } : {}) }
    case 'pull-request': {
      const pushed = `${mark.branch ? `The branch ${mark.branch}` : 'A branch'} was pushed`
      return { words: mark.isOpened ? 'Pull request opened' : pushed, more: mark.url }
    }
    case 'status':
      return statusWords(mark.status, mark.reason)
    case 'agent':
      return { words: `${mark.agent} ${began[mark.how]}` }
    case 'phase':
      return phaseWords(mark)
    case 'rewind':
      return { words: rewindWords(mark.where) }
    case 'forked':
      return { words: 'Forked from' }
    case 'moved':
      return { words: mark.to === 'none' ? 'Moved to a computer of yours' : 'Moved to a sandbox' }
    case 'mode':
      return {
        words:
          mark.of === 'run' ? `The run's mode is now ${mark.mode}` : `The agent's mode is now ${mark.mode}`,
      }
    case 'cancelled':
      return { words: `Stopped by ${authorInWords(mark.by)}` }
    case 'closed':
      return { words: 'Closed', ...(mark.reason ? { more: mark.reason } : {}) }
    case 'device':
      return { words: mark.name ? `${mark.name} is kept in sync` : 'A folder is kept in sync' }
  }
}

function rewindWords(where: RewindTo): string {
  switch (where.is) {
    case 'before':
      return `Rewound to before ${quoted(where.said)}`
    case 'turn':
      return `Rewound into the turn of ${quoted(where.said)}`
    case 'forward':
      return `Moved forward to after ${quoted(where.said)}`
    case 'checkpoint':
      return `Rewound to checkpoint ${where.number}`
    case 'undone':
      return 'The rewind was undone'
    case 'beginning':
      return 'Rewound to the beginning'
  }
}

const longest = 60

function quoted(said: string): string {
  const line = plainLine(said.trim().split('\n')[0] ?? '')
  if (line === '') return 'a message'
  return `“${line.length > longest ? `${line.slice(0, longest - 1).toWellFormed()}…` : line}”`
}

function restored({ files, missing, ms }: Extract<Mark, { is: 'restored' }>): MarkWords {
  const what = files === null ? 'Workspace restored' : `Workspace restored: ${counted(files, 'file')}`
  const words = ms === null ? what : `${what}, in ${durationInWords(ms)}`
  if (missing.length === 0) return { words }
  return {
    words,
    tone: 'warn',
    more: `missing: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ' …' : ''}`,
  }
}

function commitWords({ sha, message }: Extract<Mark, { is: 'commit' }>): string {
  const subject = message?.split('\n')[0] ?? ''
  return subject ? `Commit ${sha.slice(0, 7)}: ${subject}` : `Commit ${sha.slice(0, 7)}`
}

function statusWords(status: string, reason: string | null): MarkWords {
  const more = reason ? { more: reason } : {}
  if (status === 'failed') return { words: 'The run has failed', tone: 'bad', ...more }
  if (status === 'asleep') return { words: 'Asleep; a message wakes it', ...more }
  if (status === 'queued') return { words: 'Waiting', tone: 'warn', ...more }
  if (status === 'paused') return { words: 'Paused', ...more }
  return { words: status === 'active' ? 'Active' : `Now ${status}`, ...more }
}

function phaseWords({ phase, state, ms, error }: Extract<Mark, { is: 'phase' }>): MarkWords {
  const words = (Object.hasOwn(phases, phase) ? phases[phase] : null) ?? {
    doing: phase,
    done: `${phase}: done`,
    failed: `${phase}: failed`,
  }
  if (state === 'running') return { words: words.doing, isUnderWay: true }
  if (state === 'failed') return { words: words.failed, tone: 'bad', ...(error ? { more: error } : {}) }
  return { words: ms === null ? words.done : `${words.done} after ${durationInWords(ms)}` }
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

/** The current step of a start; after the start, the agent and how long it took. */
export function startInWords(steps: readonly MarkItem[]): string {
  const underWay = steps.find(({ mark }) => mark.is === 'phase' && mark.state === 'running')
  if (underWay) return markInWords(underWay.mark).words
  const [first, last] = [steps[0]!, steps.at(-1)!]
  const agent = steps.findLast(({ mark }) => mark.is === 'agent') ?? last
  const took =
    Date.parse(last.at) - Date.parse(first.at) >= 1000 ? ` after ${durationBetween(first.at, last.at)}` : ''
  return `${markInWords(agent.mark).words}${took}`
}
