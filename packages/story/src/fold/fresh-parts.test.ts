import { type Line, runner, sampleHash, sampleLog } from '@farhand/protocol/events/sample-log'
import { expect, it } from 'vitest'
import { takeFresh } from './changed-items.ts'
import { StoryFold } from './story-fold.ts'

it('of a text and of files, a reader takes what was added, not all of it again', () => {
  const fold = new StoryFold()
  const portion = (n: number): Line => {
    const files = Array.from({ length: 20 }, (_, m) => ({
      path: `${n}-${m}`,
      action: 'created',
      hash: sampleHash('x'),
      size: 1,
    }))
    return [runner, '_posthog/file_change', { files }]
  }
  const chunk: Line = [runner, 'agent_message_chunk', { text: 'word ' }]
  const lines = [...Array.from({ length: 50 }, (_, n) => portion(n)), ...Array<Line>(50).fill(chunk)]
  const sizes = sampleLog(...lines).map((event) => {
    fold.take(event)
    return takeFresh(fold).map(({ item, fresh }) => {
      if (fresh) return 'text' in fresh ? fresh.text.length : fresh.files.length
      return item.kind === 'files' ? item.files.length : item.kind === 'words' ? item.text.length : null
    })
  })
  expect(sizes).toEqual([...Array(50).fill([20]), [5], ...Array(49).fill([5])])
})
