import { laptop, runner, sampleHash, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { itemsOf, outline, told } from './story-under-test.ts'

describe('what programs of a run tell besides the conversation', () => {
  it('what a console says is in one card as long as nothing else is told; a warning stands by itself', () => {
    const story = told(
      [runner, '_posthog/console', { level: 'info', message: 'installing' }],
      [runner, '_posthog/console', { level: 'debug', message: 'done' }],
      [runner, '_posthog/console', { level: 'warn', message: 'old version' }],
    )
    expect(itemsOf(story, 'tool')).toMatchObject([
      {
        title: 'Console',
        content: [{ is: 'text', text: 'installing\ndone\n' }],
        // What only helps to find faults is not read to a user who cannot unfold it.
        report: { text: 'installing\n', isTitled: false },
      },
    ])
    expect(outline(story)).toEqual(['tool report 1: completed', 'warn: old version'])
  })

  it('output that belongs to no command of a person is a card with its exit code', () => {
    const story = told(
      [runner, '_posthog/sandbox_output', { stdout: 'one\n' }],
      [runner, '_posthog/sandbox_output', { stderr: 'two\n', exitCode: 1 }],
      [runner, '_posthog/sandbox_output', { stdout: 'three\n', exitCode: 0 }],
    )
    expect(itemsOf(story, 'tool')).toMatchObject([
      { title: 'Output of the sandbox', exitCode: 1, status: 'failed', content: [{ text: 'one\ntwo\n' }] },
      { exitCode: 0, status: 'completed', content: [{ text: 'three\n' }] },
    ])
  })

  it('an artifact is a card, with its content in place or in a blob', () => {
    const hash = sampleHash('x')
    const story = told(
      [runner, '_posthog/artifact', { kind: 'plan', content: '1. look' }],
      [runner, '_posthog/artifact', { kind: 'report', name: 'r.json', content: { ok: true } }],
      [runner, '_posthog/artifact', { kind: 'log', hash }],
    )
    expect(itemsOf(story, 'tool')).toMatchObject([
      { title: 'Artifact: plan', content: [{ is: 'text', text: '1. look' }] },
      { title: 'Artifact: r.json', content: [{ is: 'text', text: '{\n  "ok": true\n}' }] },
      { title: 'Artifact: log', content: [{ is: 'blob', hash }] },
    ])
  })

  it('the content of a file that was asked for is a card, and so is that there is none', () => {
    const story = told(
      [runner, '_posthog/file_content', { path: 'a.txt', content: 'text' }],
      [runner, '_posthog/file_content', { path: 'b.txt', missing: true }],
    )
    expect(itemsOf(story, 'tool')).toMatchObject([
      { title: 'Content of a.txt', what: 'read', content: [{ text: 'text' }], status: 'completed' },
      { title: 'Content of b.txt', content: [{ text: 'There is no such file.' }], status: 'failed' },
    ])
  })

  it('words of a user that only the agent tells are a message; what it repeats of the log is not told twice', () => {
    const story = told(
      [web, '_posthog/user_message', { content: 'fix the bug' }],
      [runner, '_posthog/ack', { for: '_posthog/user_message', id: 1 }],
      [runner, 'user_message_chunk', { text: 'fix the' }],
      [runner, 'user_message_chunk', { text: 'from ' }],
      [runner, 'user_message_chunk', { text: 'elsewhere' }],
    )
    expect(outline(story)).toEqual(['taken: fix the bug', 'over: from elsewhere'])
  })

  it('files that a linked folder does not sync are one list as long as nothing else is told', () => {
    const skip = (path: string) => ({ level: 'warn', message: `Not synced: ${path}`, skipped: { path } })
    const story = told(
      [laptop, '_posthog/console', skip('a.iso')],
      [laptop, '_posthog/console', skip('b.iso')],
      [runner, '_posthog/console', { level: 'warn', message: 'old version' }],
      [laptop, '_posthog/console', skip('c.iso')],
    )
    expect(outline(story)).toEqual([
      'warn: Not synced: a.iso\nNot synced: b.iso',
      'warn: old version',
      'warn: Not synced: c.iso',
    ])
  })
})
