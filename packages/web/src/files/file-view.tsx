import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { useState } from 'react'
import { showHiddenCharacters } from '../text/show-hidden-characters.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { saveFile } from '../ui/save-file.ts'
import { SegmentedControl } from '../ui/segmented-control.tsx'
import { toast } from '../ui/toasts.ts'
import { Comparison } from './diff/comparison.tsx'
import type { CommentActions } from './diff/diff-view.tsx'
import { useSides } from './diff/use-sides.ts'
import css from './file-view.module.css'
import type { Contents } from './history/contents.ts'
import { isDrawing, isPicture, shownContent } from './history/shown-content.ts'
import type { KnownFiles } from './history/use-run-files.ts'
import type { ListedChange } from './history/with-renames.ts'
import { VersionList } from './version-list.tsx'

type Props = {
  known: KnownFiles
  path: WorkspacePath
  /** Null for an unchanged file. */
  changed: ListedChange | null
  /** Show two columns of lines. */
  isSplit: boolean
  /** Null if the screen is too narrow for two columns. */
  onSplit: ((isSplit: boolean) => void) | null
  /** Whether the list of files is shown beside the file. */
  isListed: boolean
  /** Null if the screen is too narrow for both. */
  onListed: ((isListed: boolean) => void) | null
  actions: CommentActions
  onPutBack: (put: { path: WorkspacePath; entry: ListedChange['after']; eventId: number | null }) => void
  onBack: () => void
}
type View = 'changes' | 'file' | 'versions'

/** One file: its changes, its contents, and all its versions. */
export function FileView(props: Props) {
  const { known, path, changed, isSplit, onSplit, isListed, onListed, actions, onPutBack, onBack } = props
  const { files, contents } = known
  const [asked, setView] = useState<View>('changes')
  const versions = files.versions.of(path)
  const now = versions.find(({ state }) => state === 'current')?.entry ?? null
  const [chosenId, setChosen] = useState<number | null>(null)
  const chosen = versions.find(({ eventId }) => eventId === chosenId) ?? versions[0]
  const views: { value: View; words: string }[] = []
  if (changed) views.push({ value: 'changes', words: 'Changes' })
  if (now) views.push({ value: 'file', words: 'File' })
  views.push({
    value: 'versions',
    words: versions.length === 1 ? '1 version' : `${versions.length} versions`,
  })
  const view = views.some(({ value }) => value === asked) ? asked : views[0]!.value
  const entries: MenuEntry[] = []
  const back = changed?.before
  const from = changed?.from ?? null
  if (from)
    entries.push({
      label: `Rename it back to ${showHiddenCharacters(from.path)}`,
      icon: 'undo',
      onChoose: () => {
        onPutBack({ ...from, eventId: null })
        onPutBack({ path, entry: null, eventId: null })
      },
    })
  else if (changed && back !== undefined)
    entries.push({
      label: back ? 'Restore the old version' : 'Delete it again',
      icon: 'undo',
      onChoose: () => onPutBack({ path, entry: back, eventId: null }),
    })
  if (now) entries.push({ label: 'Save this file', icon: 'download', onChoose: () => save(known, path) })
  entries.push({ label: 'Copy its path', icon: 'copy', onChoose: () => copy(path) })
  const shown = { path, contents, isSplit, actions }
  return (
    <article className={css.view} aria-label={showHiddenCharacters(path)}>
      <header className={css.head}>
        <IconButton className={css.back} icon="back" label="Back to the files" onClick={onBack} />
        {onListed && (
          <IconButton
            icon="list"
            label={isListed ? 'Hide the list of files' : 'Show the list of files'}
            onClick={() => onListed(!isListed)}
            isSmall
          />
        )}
        <h2 className={css.path} title={showHiddenCharacters(path)} dir="auto">
          <span className={css.folder}>{showHiddenCharacters(path.slice(0, path.lastIndexOf('/') + 1))}</span>
          {showHiddenCharacters(path.slice(path.lastIndexOf('/') + 1))}
        </h2>
        {onSplit && view !== 'file' && !isPicture(path) && (
          <SegmentedControl
            label="How to show changes"
            value={isSplit ? 'split' : 'unified'}
            onChoose={(how) => onSplit(how === 'split')}
            values={[
              { value: 'unified', words: 'Unified' },
              { value: 'split', words: 'Split' },
            ]}
          />
        )}
        <SegmentedControl label="What to show" value={view} values={views} onChoose={setView} />
        <Menu label={`Actions for ${showHiddenCharacters(path)}`} entries={entries} />
      </header>
      {view === 'changes' && changed && (
        <Comparison
          key="changes"
          {...shown}
          before={from ? from.entry : changed.before}
          after={changed.after}
          {...(from && { notice: renamedInWords(from.path), isWhole: true })}
        />
      )}
      {view === 'file' && now && (
        <>
          {isDrawing(path) && <Drawing contents={contents} entry={now} path={path} />}
          <Comparison key="file" {...shown} isSplit={false} isWhole before={now} after={now} />
        </>
      )}
      {view === 'versions' && chosen && (
        <>
          <VersionList
            versions={versions}
            names={files.deviceNames}
            chosen={chosen}
            isTakenBack={(version) => files.isTakenBack(version)}
            onChoose={({ eventId }) => setChosen(eventId)}
            onPutBack={({ entry, eventId }) => onPutBack({ path, entry, eventId })}
          />
          <Comparison
            key={`version ${chosen.eventId}`}
            {...shown}
            before={files.entryAt(path, chosen.eventId - 1)}
            after={chosen.entry}
            actions={chosen.state === 'current' ? actions : null}
          />
        </>
      )}
    </article>
  )
}

const renamedInWords = (from: string) => `Renamed from ${showHiddenCharacters(from)}, with the same contents.`

async function save({ files, contents }: KnownFiles, path: WorkspacePath) {
  const entry = files.versions.tree.entry(path)
  if (!entry) return
  try {
    const signal = AbortSignal.timeout(300_000)
    for await (const { bytes } of contents.fetch([entry], signal)) {
      if (!bytes) return toast('The hub no longer has these contents.', { tone: 'bad' })
      const name = path.slice(path.lastIndexOf('/') + 1)
      saveFile(name, [bytes as BlobPart], 'application/octet-stream')
    }
  } catch {
    toast('The hub did not answer.', { tone: 'bad' })
  }
}

async function copy(path: string) {
  try {
    await navigator.clipboard.writeText(path)
    toast('The path is copied.')
  } catch {
    // Browsers offer the clipboard only on https pages and on localhost.
    toast('The browser does not allow copying here.', { tone: 'bad' })
  }
}

/** Shows an SVG file as an image. In an `<img>` it can run no script and load nothing. */
function Drawing({ contents, entry, path }: { contents: Contents; entry: FileEntry; path: string }) {
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
