import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { useMemo, useState } from 'react'
import { useShortcut } from '../navigation/shortcuts.ts'
import type { RunActions } from '../outbox/actions.ts'
import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { CommentTray } from './diff/comment-tray.tsx'
import { useComments } from './diff/use-comments.ts'
import { type Packing, useDownloads } from './download/use-downloads.ts'
import { FileTree, type TreeFile } from './file-tree.tsx'
import { FileView } from './file-view.tsx'
import { FilesBar } from './files-bar.tsx'
import css from './files-page.module.css'
import { changedSince } from './history/changed-since.ts'
import type { FilesSource } from './history/files-source.ts'
import type { Point } from './history/run-files.ts'
import { usePutBack } from './history/use-put-back.ts'
import { useRunFiles } from './history/use-run-files.ts'
import { withRenames } from './history/with-renames.ts'
import { inTreeOrder } from './tree-rows.ts'
import { useChosenFile } from './use-chosen-file.ts'

/**
 * The files of a run, with their changes and versions. List and file side by side on wide screens, one at a time on
 * narrow ones.
 */
export function FilesPage({ source, actions }: { source: FilesSource; actions: Pick<RunActions, 'act'> }) {
  const known = useRunFiles(source)
  const isWide = useMediaQuery('(min-width: 1000px)')
  const [chosen, choose] = useChosenFile()
  const [since, setSince] = useState<number | null>(null)
  const [isAll, setAll] = useState(false)
  const [wanted, setWanted] = useState('')
  const [isSplit, setSplit] = useState(false)
  const [isListed, setListed] = useState(true)
  const comments = useComments(source.at.run)
  const onPutBack = usePutBack(known, actions.act)
  const points = useMemo(() => known?.files.points() ?? [beginning], [known])
  const point = points.find((one) => nameOf(one) === since) ?? points[0]!
  const changed = useMemo(
    () => inTreeOrder(known ? withRenames(changedSince(known.files, point.eventId)) : []),
    [known, point.eventId],
  )
  const files = useMemo((): TreeFile[] => {
    const how = new Map<string, TreeFile>(
      changed.map(({ path, how, from }) => [path, { path, how, from: from?.path ?? null }]),
    )
    const paths = isAll ? new Set([...(known?.files.paths() ?? []), ...how.keys()]) : how.keys()
    const letters = wanted.trim().toLowerCase()
    return (
      [...paths]
        .map((path) => how.get(path) ?? { path, how: null, from: null })
        // A search also finds a renamed file by its old path.
        .filter(({ path, from }) => [path, from ?? ''].some((name) => name.toLowerCase().includes(letters)))
    )
  }, [known, changed, isAll, wanted])
  const downloads = useDownloads(known, changed)
  const path = (chosen ?? (isWide ? (changed[0]?.path ?? null) : null)) as WorkspacePath | null
  const step = (by: number) => {
    const at = changed.findIndex((file) => file.path === path)
    const next = changed[at === -1 ? 0 : at + by]
    if (next) choose(next.path)
  }
  useShortcut(']', 'Next file that changed', 'Files', () => step(1))
  useShortcut('[', 'Previous file that changed', 'Files', () => step(-1))
  useShortcut('s', 'Turn the split view on or off', 'Files', () => setSplit(!isSplit))
  useShortcut('b', 'Show or hide the list of files', 'Files', () => setListed(!isListed))
  if (!known)
    return (
      <div className={css.waiting}>
        <Spinner size={20} />
      </div>
    )
  const isKnown = path !== null && known.files.versions.of(path).length > 0
  return (
    <div className={css.page} data-shows={path === null ? 'tree' : isListed ? 'file' : 'only-file'}>
      <div className={css.side}>
        <FilesBar
          {...{ points, point, isAll }}
          onPoint={(one) => setSince(nameOf(one))}
          onAll={setAll}
          counts={{ changed: changed.length, all: known.files.versions.tree.size }}
          downloads={downloads.entries}
        />
        <PackingLine packing={downloads.packing} />
        <input
          className={css.wanted}
          type="search"
          placeholder="Find a file"
          aria-label="Find a file"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
        {files.length === 0 ? (
          <NothingToList {...{ wanted, isAll }} onAll={() => setAll(true)} />
        ) : (
          <FileTree
            key={`${isAll}`}
            label={isAll ? 'All files' : 'Files that changed'}
            files={files}
            chosen={path}
            isOpen={!isAll || wanted.trim() !== ''}
            onChoose={choose}
          />
        )}
      </div>
      <div className={css.pane}>
        {path !== null && isKnown && (
          <FileView
            key={path}
            {...{ known, path, onPutBack }}
            changed={changed.find((file) => file.path === path) ?? null}
            isSplit={isSplit && isWide}
            onSplit={isWide ? setSplit : null}
            isListed={isListed}
            onListed={isWide ? setListed : null}
            actions={comments}
            onBack={() => choose(null)}
          />
        )}
        {path !== null && !isKnown && (
          <div className={css.nothing}>
            <p>The log of this run does not mention {path}.</p>
            <Button onClick={() => choose(null)}>Show the files</Button>
          </div>
        )}
        {path === null && <p className={css.nothing}>Choose a file to see what changed in it.</p>}
        <CommentTray
          run={source.at.run}
          comments={comments.comments}
          onPut={comments.put}
          onSay={(text) => actions.act({ do: 'say', text, attachments: [], when: 'queue' })}
        />
      </div>
    </div>
  )
}

const beginning: Point = { is: 'beginning', eventId: 0 }
/** The event of the beginning may still change, so it gets no number; all other points are told apart by their events. */
const nameOf = (point: Point) =>
  point.is === 'beginning' ? null : point.is === 'message' ? -point.eventId : point.eventId

type NothingProps = { wanted: string; isAll: boolean; onAll: () => void }

/** Says why no file is listed, and offers to list all files. */
function NothingToList({ wanted, isAll, onAll }: NothingProps) {
  return (
    <div className={css.nothing}>
      <p>{why(wanted, isAll)}</p>
      {!isAll && <Button onClick={onAll}>Show all files</Button>}
    </div>
  )
}

function why(wanted: string, isAll: boolean): string {
  if (wanted.trim() !== '') return isAll ? 'No file matches.' : 'No changed file matches.'
  return isAll ? 'There are no files yet.' : 'Nothing has changed since then.'
}

/** The progress of a download that is being prepared. */
function PackingLine({ packing }: { packing: Packing | null }) {
  return (
    <div role="status">
      {packing && (
        <div className={css.packing}>
          <span>
            {packing.words}: {packing.done.toLocaleString('en')} of {packing.of.toLocaleString('en')}
          </span>
          <progress max={packing.of} value={packing.done} aria-label={packing.words} />
          <Button as="quiet" isSmall onClick={packing.stop}>
            Cancel
          </Button>
        </div>
      )}
    </div>
  )
}
