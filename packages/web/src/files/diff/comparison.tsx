import type { FileEntry } from '@farhand/protocol/methods/files'
import { type ReactNode, useMemo } from 'react'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import css from '../file-view.module.css'
import type { Contents } from '../history/contents.ts'
import { compareContents } from './compare-contents.ts'
import { type CommentActions, DiffView } from './diff-view.tsx'
import { ImagePair } from './image-pair.tsx'
import { useSides } from './use-sides.ts'

type Props = {
  path: string
  /** Undefined where the log does not say what was there. */
  before: FileEntry | null | undefined
  after: FileEntry | null
  contents: Contents
  isSplit: boolean
  isWhole?: boolean
  /** A remark for the user. */
  notice?: string
  actions: CommentActions | null
}

/** The change of a file between two versions: as lines, as images, or as a sentence. */
export function Comparison(props: Props) {
  const { path, before, after, contents, isSplit, isWhole = false, notice, actions } = props
  const old = before ?? null
  const [fetched, retry] = useSides(contents, old, after)
  const isThere = fetched.is === 'there'
  const [one, other] = isThere ? [fetched.before, fetched.after] : [null, null]
  const found = useMemo(() => (isThere ? compareContents(one, other) : null), [isThere, one, other])
  if (fetched.is === 'waiting')
    return (
      <Said>
        <Spinner size={20} />
      </Said>
    )
  if (fetched.is === 'failed' || !found)
    return (
      <Said>
        <p>The hub did not answer, so this file could not be loaded.</p>
        <Button icon="refresh" onClick={retry}>
          Try again
        </Button>
      </Said>
    )
  const modes = old && after && old.mode !== after.mode ? modeInWords(old.mode, after.mode) : null
  return (
    <>
      {before === undefined && (
        <p className={css.notice}>
          The log does not say what was here before, so the whole file is shown as it is now.
        </p>
      )}
      {notice && (
        <p className={css.notice} dir="auto">
          {notice}
        </p>
      )}
      {modes && <p className={css.notice}>{modes}</p>}
      {found.notice && <p className={css.notice}>{found.notice}</p>}
      {found.is === 'lines' && (
        <DiffView
          {...{ path, isSplit, actions }}
          lines={found.lines}
          isWhole={isWhole || before === undefined}
        />
      )}
      {found.is === 'images' && <ImagePair path={path} before={found.before} after={found.after} />}
      {found.is === 'words' && (
        <Said>
          <p>{found.words}</p>
        </Said>
      )}
    </>
  )
}

const Said = ({ children }: { children: ReactNode }) => <div className={css.said}>{children}</div>

const kinds: Readonly<Record<string, string>> = {
  '100644': 'a regular file',
  '100755': 'an executable file',
  '120000': 'a symbolic link',
}
const modeInWords = (before: string, after: string) =>
  `It was ${kinds[before] ?? before} and is ${kinds[after] ?? after} now.`
