import type { ChangedPath, FilesItem } from '@farhand/story/items/story'
import { authorInWords } from '@farhand/story/wording/author-in-words'
import { memo } from 'react'
import { FileLink } from '../../files/file-link.tsx'
import { type OpenProps, useOpenSection } from '../../output/open-sections.ts'
import { showHiddenCharacters } from '../../text/show-hidden-characters.ts'
import { Icon } from '../../ui/icon.tsx'
import row from './row.module.css'

const signs = { created: '+', modified: '·', deleted: '−', renamed: '→' } as const
const actions = { created: 'created', modified: 'changed', deleted: 'deleted', renamed: 'renamed' } as const
const mostShown = 200

/** Changed files, in one line that expands. */
export const FilesView = memo(function FilesView({ item, openSections }: OpenProps<FilesItem>) {
  const { files } = item
  const [isOpen, toggle] = useOpenSection(openSections, `${item.id}`, false)
  const one = files.length === 1 ? files[0] : undefined
  const words = one ? oneInWords(one) : `${files.length} files changed`
  return (
    <div>
      <button type="button" className={row.fold} aria-expanded={isOpen} onClick={toggle}>
        <Icon name="file" size={15} />
        <span className={row.more} dir="auto">{`${words} by ${authorInWords(item.by)}`}</span>
        <Icon name="chevron-right" size={14} />
      </button>
      {isOpen && (
        <ul className={row.paths}>
          {files.slice(0, mostShown).map((file) => (
            <li key={file.path} title={actions[file.action]} dir="auto">
              {file.action === 'renamed' && `${showHiddenCharacters(file.from)} `}
              {signs[file.action]} <FileLink path={file.path}>{showHiddenCharacters(file.path)}</FileLink>
            </li>
          ))}
          {files.length > mostShown && <li>and {files.length - mostShown} more</li>}
        </ul>
      )}
    </div>
  )
})

const oneInWords = (file: ChangedPath) =>
  file.action === 'renamed'
    ? `${showHiddenCharacters(file.from)} renamed to ${showHiddenCharacters(file.path)}`
    : `${showHiddenCharacters(file.path)} ${actions[file.action]}`
