import { runNowOf } from '@farhand/protocol/runs/sync-status'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { Story } from '@farhand/story/items/story'
import { type StandingKind, standing } from '@farhand/story/wording/standing'
import { showHiddenCharacters } from '../../text/show-hidden-characters.ts'
import type { Tone } from '../../ui/badge.tsx'

/** The state of the run in a word or two; `since`: only where the duration matters. */
export type RunStanding = { words: string; tone: Tone; since: string | null; isWorking: boolean }

/** The parts of the state that only the hub knows. */
type Listed = Pick<ListedRun, 'sandbox' | 'now'>

const tones: Readonly<Partial<Record<StandingKind, Tone>>> = {
  'needs-you': 'warn',
  working: 'accent',
  starting: 'accent',
  done: 'good',
  failed: 'bad',
}

/** The state of a run from its story, by the same rule as in the list. */
export function runStanding(
  { view, lastId }: Pick<Story, 'view' | 'lastId'>,
  listed?: Listed | null,
): RunStanding {
  const now = runNowOf(view, lastId, listed?.now?.sandboxHealthy)
  const { kind, words, since } = standing({ now, sandbox: listed?.sandbox ?? view.place })
  return {
    words,
    tone: tones[kind] ?? 'plain',
    since: kind === 'working' ? since : null,
    isWorking:
      isUnderWay(kind) && (view.openTurns.length > 0 || now.status === 'provisioning' || view.closing),
  }
}

const isUnderWay = (kind: StandingKind) => kind === 'needs-you' || kind === 'working' || kind === 'starting'

/** The title of a run: from the list, or else the first line of its first message. */
export function runTitle(listed: string | undefined, { items }: Pick<Story, 'items'>): string {
  if (listed) return listed
  const asked = items.find(({ kind }) => kind === 'message')
  const line = asked?.kind === 'message' ? showHiddenCharacters(asked.text.trim().split('\n')[0] ?? '') : ''
  return line.length > 120 ? `${line.slice(0, 119)}…` : line || 'A run'
}
