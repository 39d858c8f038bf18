import { fileIntents } from '@farhand/protocol/files/file-intents'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { ChangedPath } from '../items/story.ts'
import { asList, asObject, isObject } from '../values/untyped-values.ts'
import type { FreshFiles } from './fresh-parts.ts'
import { type ChangedRow, withRenames } from './renames.ts'
import { rawStep, type Step, type Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'

const sideOf = (by: SeenAuthor) => ('id' in by ? `${by.kind} ${by.id}` : by.kind)

/** Consecutive file changes are one item, which has each file once, with its final state. */
const change: Step = (draft, event) => {
  const files = filesOf(draft, event).filter((file) => !isLateHalf(draft, file))
  if (files.length === 0) return
  const last = draft.items.at(-1)
  const { id, timestamp: at, by } = event
  const isPutBack = isObject(event.notification.params?.undoes)
  const isSame =
    last?.kind === 'files' && sideOf(last.by) === sideOf(by) && draft.putBack.has(last.id) === isPutBack
  if (isSame && draft.fileRows) {
    const { at, rows } = draft.fileRows
    for (const file of files) putFile(rows, file, draft.fresh?.files.get(at))
    draft.fileRows.isNews = true
    draft.changed.add(at)
    return
  }
  draft.listFiles()
  const rows = new Map<string, ChangedRow>()
  for (const file of files) putFile(rows, file)
  draft.fileRows = { at: draft.items.length, rows, isNews: false }
  if (isPutBack) draft.putBack.add(id)
  draft.add({ kind: 'files', id, at, by, files: withRenames([...rows.values()]) })
}

function filesOf({ fileHashes, createdInTurn }: StoryDraft, { notification }: SeenEvent): ChangedRow[] {
  const intents = fileIntents(notification)
  const { files, action } = asObject(notification.params)
  return intents.map(({ path, entry }, nth) => {
    const said = files === undefined ? action : asObject(asList(files)[nth]).action
    const before = fileHashes.get(path) ?? null
    if (entry === null) fileHashes.delete(path)
    else {
      fileHashes.set(path, entry.hash)
      createdInTurn.moved(path, entry.hash)
    }
    if (entry === null) return { path, action: 'deleted', hash: before }
    return { path, action: said === 'created' ? 'created' : 'modified', hash: entry.hash }
  })
}

/**
 * Whether this deletion completes a rename that an earlier item has: the new name often comes first, with words of
 * the agent in between.
 */
function isLateHalf(draft: StoryDraft, { path, action, hash }: ChangedRow): boolean {
  if (action !== 'deleted' || hash === null) return false
  // The newest item is still open and finds the rename itself.
  if (draft.fileRows?.at !== draft.items.length - 1) draft.listCollected()
  const { items, fileHashes, createdInTurn, lateRenames } = draft
  createdInTurn.index(items, draft.turnSince, (one) => fileHashes.get(one))
  const made = createdInTurn.take(hash, ({ at, nth, path: name }) => {
    const item = items[at]
    const isCreated = item?.kind === 'files' && item.files[nth]!.action === 'created'
    return isCreated && !lateRenames.get(at)?.has(nth) && fileHashes.get(name) === hash
  })
  if (made === null) return false
  const renames = lateRenames.get(made.at) ?? new Map<number, ChangedPath>()
  lateRenames.set(made.at, renames.set(made.nth, { path: made.path, action: 'renamed', from: path }))
  return true
}

function putFile(rows: Map<string, ChangedRow>, file: ChangedRow, fresh?: FreshFiles): void {
  const before = rows.get(file.path)
  // A file that was created and then modified is new to the reader.
  const action = before?.action === 'created' && file.action === 'modified' ? 'created' : file.action
  const row = { ...file, action }
  rows.set(file.path, row)
  fresh?.put(row, before)
}

export const fileSteps: Steps = {
  file_change: rawStep(change),
  file_sync: rawStep(change),
}
