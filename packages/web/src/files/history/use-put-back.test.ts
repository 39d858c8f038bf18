import { type Line, laptop, runner, sampleHash, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { FileVersions } from '@farhand/protocol/files/file-versions'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { expect, it } from 'vitest'
import { putBackParams } from './use-put-back.ts'

const entry = (letter: string) => ({ mode: '100644' as const, hash: sampleHash(letter) })
const path = 'a.txt' as WorkspacePath
const begun: Line[] = [
  [laptop, '_posthog/file_sync', { path, action: 'created', ...entry('a'), was: null }],
  [runner, '_posthog/file_change', { path, action: 'modified', ...entry('b'), was: entry('a') }],
]
const old = { eventId: 1, entry: entry('a'), size: 3 }

function folded(...lines: Line[]): FileVersions {
  const versions = new FileVersions()
  for (const event of sampleLog(...lines)) versions.take(event)
  return versions
}

it('a version that is put back from a browser counts, and what it replaced can be put back in its turn', () => {
  const params = putBackParams(folded(...begun), path, old)!
  const after: Line[] = [...begun, [web, '_posthog/file_sync', params]]
  expect(folded(...after).tree.entry(path)).toEqual(entry('a'))
  const undo = putBackParams(folded(...after), path, { eventId: 2, entry: entry('b'), size: null })!
  const undone = folded(...after, [web, '_posthog/file_sync', undo])
  expect(undone.tree.entry(path)).toEqual(entry('b'))
  expect(undone.of(path)).toHaveLength(4)
})

it('a version that is there already is not put back', () => {
  expect(putBackParams(folded(...begun), path, { eventId: 2, entry: entry('b'), size: null })).toBeNull()
})

it('a file that was deleted comes back although a folder has taken its place, all in one event', () => {
  const lines: Line[] = [
    ...begun,
    [runner, '_posthog/file_change', { path, action: 'deleted', was: entry('b') }],
    [runner, '_posthog/file_change', { path: 'a.txt/inside', action: 'created', ...entry('c'), was: null }],
  ]
  const params = putBackParams(folded(...lines), path, old)!
  const versions = folded(...lines, [web, '_posthog/file_sync', params])
  expect([...versions.tree.paths()]).toEqual(['a.txt'])
})
