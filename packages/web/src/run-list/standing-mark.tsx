import type { StandingKind } from '@farhand/story/wording/standing'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Spinner } from '../ui/spinner.tsx'
import css from './standing-mark.module.css'

const drawn: Readonly<Record<Exclude<StandingKind, 'working' | 'starting'>, IconName>> = {
  'needs-you': 'question',
  done: 'check',
  stopped: 'stop',
  failed: 'warning',
  paused: 'pause',
  asleep: 'sleep',
  new: 'chat',
  closed: 'archive',
  unreadable: 'warning',
}

/** An icon for the state of a run. The text beside it says the same. */
export function StandingMark({ kind }: { kind: StandingKind }) {
  return (
    <span className={`${css.mark} ${css[kind] ?? ''}`}>
      {kind === 'working' || kind === 'starting' ? (
        <Spinner size={14} />
      ) : (
        <Icon name={drawn[kind]} size={16} />
      )}
    </span>
  )
}
