import { fileIntents } from '@farhand/protocol/file-intents'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/seen-event'
import { asList, asObject, isObject } from './read.ts'
import type { Step } from './step.ts'
import type { FilesItem } from './story.ts'

type ChangedFile = FilesItem['files'][number]

const sideOf = (by: SeenAuthor) => ('id' in by ? `${by.kind} ${by.id}` : by.kind)

/** Files that change with nothing else between are one item; each file is in it once, with what became of it. */
const change: Step = (draft, event) => {
  const files = filesOf(event)
  if (files.length === 0) return
  const last = draft.items.at(-1)
  const { id, timestamp: at, by } = event
  const isPutBack = isObject(event.notification.params?.undoes)
  const isSame =
    last?.kind === 'files' && sideOf(last.by) === sideOf(by) && draft.putBack.has(last.id) === isPutBack
  if (isSame && draft.fileRows) {
    for (const file of files) putFile(draft.fileRows.rows, file)
    draft.fileRows.isNews = true
    return
  }
  draft.listFiles()
  const rows = new Map<string, ChangedFile>()
  for (const file of files) putFile(rows, file)
  draft.fileRows = { at: draft.items.length, rows, isNews: false }
  if (isPutBack) draft.putBack.add(id)
  draft.add({ kind: 'files', id, at, by, isTakenBack: false, files: [...rows.values()] })
}

function filesOf({ notification }: SeenEvent): ChangedFile[] {
  const intents = fileIntents(notification)
  const { files, action } = asObject(notification.params)
  return intents.map(({ path, entry }, nth) => {
    const said = files === undefined ? action : asObject(asList(files)[nth]).action
    return { path, action: entry === null ? 'deleted' : said === 'created' ? 'created' : 'modified' }
  })
}

function putFile(rows: Map<string, ChangedFile>, file: ChangedFile): void {
  const before = rows.get(file.path)?.action
  // Whoever looks wants to know what is new to them: a file that was made and then written to is a new one.
  const action = before === 'created' && file.action === 'modified' ? 'created' : file.action
  rows.set(file.path, { path: file.path, action })
}

export const fileSteps: readonly (readonly [string, Step])[] = [
  ['_posthog/file_change', change],
  ['_posthog/file_sync', change],
]
