import { memo } from 'react'
import { FileLink } from '../../files/file-link.tsx'
import { shownLetters } from '../../files/shown-letters.ts'
import { Icon } from '../../look/icon.tsx'
import type { FilesItem } from '../../story/story.ts'
import { authorInWords } from '../author-in-words.ts'
import { type Folds, useFold } from '../folds.ts'
import row from './row.module.css'

const signs = { created: '+', modified: '·', deleted: '−' } as const
const deeds = { created: 'created', modified: 'changed', deleted: 'deleted' } as const
const mostShown = 200

/** Files that somebody changed, in one line that opens. */
export const FilesView = memo(function FilesView({ item, folds }: { item: FilesItem; folds: Folds }) {
  const { files } = item
  const [isOpen, turn] = useFold(folds, `${item.id}`, false)
  const one = files.length === 1 ? files[0] : undefined
  const words = one ? `${shownLetters(one.path)} ${deeds[one.action]}` : `${files.length} files changed`
  // In front: the end of a long line is cut off.
  const part = item.isTakenBack ? 'In what was taken back: ' : ''
  return (
    <div>
      <button type="button" className={row.fold} aria-expanded={isOpen} onClick={turn}>
        <Icon name="file" size={15} />
        <span className={row.more}>{`${part}${words} by ${authorInWords(item.by)}`}</span>
        <Icon name="chevron-right" size={14} />
      </button>
      {isOpen && (
        <ul className={row.paths}>
          {files.slice(0, mostShown).map(({ path, action }) => (
            <li key={path} title={deeds[action]}>
              {signs[action]} <FileLink path={path}>{shownLetters(path)}</FileLink>
            </li>
          ))}
          {files.length > mostShown && <li>and {files.length - mostShown} more</li>}
        </ul>
      )}
    </div>
  )
})
