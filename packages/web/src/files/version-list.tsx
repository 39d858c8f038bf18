import type { Version } from '@farhand/protocol/files/file-versions'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import { authorInWords } from '@farhand/story/wording/author-in-words'
import { sizeInWords } from '../text/size-in-words.ts'
import { TimeSince } from '../time/time-since.tsx'
import { Button } from '../ui/button.tsx'
import css from './version-list.module.css'

type Props = {
  versions: readonly Version[]
  names: ReadonlyMap<string, string>
  chosen: Version
  /** Whether the version belongs to a rewound part of the run. */
  isTakenBack: (version: Version) => boolean
  onChoose: (version: Version) => void
  onPutBack: (version: Version) => void
}

/** All versions of a file, newest first, with their author, time and state. */
export function VersionList({ versions, names, chosen, isTakenBack, onChoose, onPutBack }: Props) {
  return (
    <ul className={css.list} aria-label="Versions, newest first">
      {versions.map((version) => (
        <li
          key={`${version.eventId} ${version.state}`}
          className={`${css.row} ${version === chosen ? css.chosen : ''}`}
        >
          <button
            type="button"
            className={css.version}
            aria-pressed={version === chosen}
            onClick={() => onChoose(version)}
          >
            <span className={css.who}>
              {version.entry ? 'Written' : 'Deleted'} by {writerInWords(version.by, names)}
            </span>
            <span className={css.facts}>
              <TimeSince at={version.at} />
              {version.entry && version.size !== null && ` · ${sizeInWords(version.size)}`}
              {states[version.state] && ` · ${states[version.state]}`}
              {isTakenBack(version) && ' · rewound'}
            </span>
          </button>
          {version.state !== 'current' && (
            <Button isSmall icon="undo" onClick={() => onPutBack(version)}>
              {version.entry ? 'Restore' : 'Delete again'}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

const states: Readonly<Record<Version['state'], string>> = {
  current: 'current version',
  replaced: '',
  deleted: 'deleted later',
  overruled: 'did not count: another change came first',
  kept: 'put aside',
}

/** The author of a file version: the name of the device if the log has it. */
export const writerInWords = (by: SeenAuthor, names: ReadonlyMap<string, string>): string =>
  (by.kind === 'device' && names.get(by.id)) || authorInWords(by)
