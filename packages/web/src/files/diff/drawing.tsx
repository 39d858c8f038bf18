import type { FileEntry } from '@farhand/protocol/methods/files'
import { showHiddenCharacters } from '../../text/show-hidden-characters.ts'
import css from '../file-view.module.css'
import type { Contents } from '../history/contents.ts'
import { shownContent } from '../history/shown-content.ts'
import { useSides } from './use-sides.ts'

/** Shows an SVG file as an image. In an `<img>` it can run no script and load nothing. */
export function Drawing({ contents, entry, path }: { contents: Contents; entry: FileEntry; path: string }) {
  const [fetched] = useSides(contents, null, entry)
  const content = fetched.is === 'there' && fetched.after?.is === 'bytes' ? fetched.after.bytes : null
  const shown = content && shownContent(content)
  if (shown?.is !== 'text') return null
  return (
    <img
      className={css.drawing}
      src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(shown.text)}`}
      alt={showHiddenCharacters(path.slice(path.lastIndexOf('/') + 1))}
    />
  )
}
