/** A row of a file tree; `depth` is its indentation. A folder with only one subfolder is joined with it. */
export type TreeRow<File> =
  | { is: 'folder'; path: string; name: string; depth: number; isOpen: boolean; count: number }
  | { is: 'file'; path: string; name: string; depth: number; file: File }

type Folder<File> = {
  folders: Map<string, Folder<File>>
  files: { name: string; file: File }[]
  count: number
}

/** The visible rows of a tree: folders first, then files, each by name. */
export function treeRows<File extends { path: string }>(
  files: Iterable<File>,
  isOpen: (folder: string) => boolean,
): TreeRow<File>[] {
  const rows: TreeRow<File>[] = []
  const show = (folder: Folder<File>, path: string, depth: number) => {
    for (const [first, one] of sorted(folder.folders)) {
      let [name, inner] = [first, one]
      while (inner.files.length === 0 && inner.folders.size === 1) {
        const [[only, next]] = inner.folders as unknown as [[string, Folder<File>]]
        name = `${name}/${only}`
        inner = next
      }
      const at = path + name
      const open = isOpen(at)
      rows.push({ is: 'folder', path: at, name, depth, isOpen: open, count: inner.count })
      if (open) show(inner, `${at}/`, depth + 1)
    }
    for (const { name, file } of folder.files.sort((a, b) => compare(a.name, b.name)))
      rows.push({ is: 'file', path: file.path, name, depth, file })
  }
  show(grown(files), '', 0)
  return rows
}

/** Files in the order in which a tree shows them. */
export const inTreeOrder = <File extends { path: string }>(files: Iterable<File>): File[] =>
  treeRows(files, () => true).flatMap((row) => (row.is === 'file' ? [row.file] : []))

function grown<File extends { path: string }>(files: Iterable<File>): Folder<File> {
  const empty = (): Folder<File> => ({ folders: new Map(), files: [], count: 0 })
  const root = empty()
  for (const file of files) {
    const parts = file.path.split('/')
    const name = parts.pop()!
    let folder = root
    for (const part of parts) {
      folder.count += 1
      const next = folder.folders.get(part) ?? empty()
      folder.folders.set(part, next)
      folder = next
    }
    folder.count += 1
    folder.files.push({ name, file })
  }
  return root
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const sorted = <Value>(map: Map<string, Value>) => [...map].sort(([a], [b]) => compare(a, b))
