import { useEffect, useRef, useState } from 'react'
import { sizeInWords } from '../../text/size-in-words.ts'
import type { MenuEntry } from '../../ui/menu.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { toast } from '../../ui/toasts.ts'
import type { KnownFiles } from '../history/use-run-files.ts'
import type { ListedChange } from '../history/with-renames.ts'
import { makePatch } from './make-patch.ts'
import { mostZipBytes, type ZipFile, zipList } from './zip-list.ts'

export type Packing = { words: string; done: number; of: number; stop: () => void }

/** The download menu, and the progress of the download that is being prepared. */
export function useDownloads(known: KnownFiles | null, changed: readonly ListedChange[]) {
  const [packing, setPacking] = useState<Packing | null>(null)
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  const begin = async (words: string, of: number, work: (its: AbortController) => Promise<string>) => {
    stop.current?.abort()
    const its = new AbortController()
    stop.current = its
    setPacking({ words, done: 0, of, stop: () => its.abort() })
    try {
      const said = await work(its)
      if (said) toast(said)
    } catch {
      if (!its.signal.aborted) toast('The hub did not answer: nothing was saved.', { tone: 'bad' })
    } finally {
      if (stop.current === its) setPacking(null)
    }
  }
  const patch = () =>
    begin('Making the patch', changed.length, async ({ signal }) => {
      const { text, files, leftOut } = await makePatch(changed, known!.contents, signal)
      const first = leftOut[0] && `${leftOut[0].path} (${leftOut[0].why})`
      const others = leftOut.length > 1 ? ` and ${leftOut.length - 1} more` : ''
      if (files === 0) return `None of these changes can be part of a patch: ${first}${others}.`
      saveFile(`${nameOf(known)}.patch`, [text], 'text/x-patch')
      return first ? `Left out of the patch: ${first}${others}.` : ''
    })
  const zip = (which: string, files: readonly ZipFile[]) => {
    const { taken, leftOut } = zipList(files)
    return begin('Packing', taken.length, async ({ signal }) => {
      const { makeZip } = await import('./make-zip.ts')
      const onProgress = (done: number) => setPacking((now) => now && { ...now, done })
      const { parts, missing } = await makeZip(taken, known!.contents, { signal, onProgress })
      saveFile(`${nameOf(known)}-${which}.zip`, parts, 'application/zip')
      const without = [...leftOut.map(({ path }) => path), ...missing]
      if (without.length === 0) return ''
      const why =
        leftOut.length > 0 ? `a zip can have at most ${sizeInWords(mostZipBytes)}` : 'no longer stored'
      return `Left out of the zip: ${without[0]}${without.length > 1 ? ` and ${without.length - 1} more` : ''} (${why}).`
    })
  }
  const present = (): ZipFile[] =>
    known ? [...known.files.versions.tree.files()].map((file) => sized(known, file)) : []
  const changedNow = (): ZipFile[] =>
    changed.flatMap(({ path, after }) => (known && after ? [sized(known, { path, entry: after })] : []))
  const isNothing = changed.length === 0
  const entries: MenuEntry[] = [
    {
      label: 'Changes as a patch',
      note: 'for git apply',
      icon: 'commit',
      isDisabled: isNothing,
      onChoose: () => void patch(),
    },
    {
      label: 'Changed files as a zip',
      icon: 'archive',
      isDisabled: isNothing,
      onChoose: () => void zip('changed', changedNow()),
    },
    {
      label: 'All files as a zip',
      icon: 'archive',
      isDisabled: !known,
      onChoose: () => void zip('files', present()),
    },
  ]
  return { entries, packing }
}

const nameOf = (known: KnownFiles | null) => known?.source.at.run ?? 'run'
const sized = ({ files }: KnownFiles, { path, entry }: Pick<ZipFile, 'path' | 'entry'>): ZipFile => ({
  path,
  entry,
  size: files.sizeOf(entry.hash),
})
